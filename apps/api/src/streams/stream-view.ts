import type { GroupChange, GroupReading } from '@allot/coordinator';
import { frameOf, type Frame, type WireEvent, type WireFormat } from './frames.js';

/** What a reader is shown of a group, as bytes. */
export interface StreamView {
  snapshot(reading: GroupReading, format: WireFormat): Frame;
  /** Undefined: none of it is for this reader; only its bookmark moves. */
  change(change: GroupChange, format: WireFormat): Frame | undefined;
  /** Everything up to this change was seen. */
  bookmark(change: GroupChange, format: WireFormat): Frame;
  /** The group was deleted after `revision`. */
  gone(revision: number, format: WireFormat): Frame;
}

/** Frames that all readers of one thing share; they live as long as what they were made of. */
export class SharedFrames<K extends object> {
  readonly #frames = { sse: new WeakMap<K, Frame>(), ndjson: new WeakMap<K, Frame>() };

  constructor(private readonly show: (of: K) => WireEvent) {}

  of(key: K, format: WireFormat): Frame {
    const frames = this.#frames[format];
    let frame = frames.get(key);
    if (frame === undefined) {
      frame = frameOf(this.show(key), format);
      frames.set(key, frame);
    }
    return frame;
  }
}
