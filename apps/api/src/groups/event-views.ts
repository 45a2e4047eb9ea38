import type { GroupChange, GroupReading, GroupRef, MemberChange } from '@allot/coordinator';
import { frameOf, type Frame, type WireEvent, type WireFormat } from '../streams/frames.js';
import { SharedFrames, type StreamView } from '../streams/stream-view.js';
import { showChange, showMemberSnapshot } from './change-view.js';
import { showGroup } from './group-view.js';

const changes = new SharedFrames<GroupChange>((change) => ({
  name: change.kind,
  revision: change.revision,
  data: showChange(change),
}));

const bookmarks = new SharedFrames<GroupChange>(({ revision, groupEpoch, assignmentEpoch }) => ({
  name: 'bookmark',
  revision,
  data: { revision, groupEpoch, assignmentEpoch },
}));

/** All of a group: each revision is one event, and everybody gets the same bytes. */
export class GroupEvents implements StreamView {
  /** A picture belongs to one group, so its frame can be kept with it whoever asks. */
  static readonly #snapshots = new WeakMap<GroupReading, SharedFrames<GroupReading>>();

  constructor(private readonly ref: GroupRef) {}

  snapshot(reading: GroupReading, format: WireFormat): Frame {
    let frames = GroupEvents.#snapshots.get(reading);
    if (frames === undefined) {
      const { ref } = this;
      const revision = reading.group.revision;
      frames = new SharedFrames(() => ({ name: 'snapshot', revision, data: showGroup(ref, reading) }));
      GroupEvents.#snapshots.set(reading, frames);
    }
    return frames.of(reading, format);
  }

  change(change: GroupChange, format: WireFormat): Frame {
    return changes.of(change, format);
  }

  bookmark(change: GroupChange, format: WireFormat): Frame {
    return bookmarks.of(change, format);
  }

  gone(revision: number, format: WireFormat): Frame {
    return frameOf({ name: 'deleted', revision, data: { revision }, last: true }, format);
  }
}

/** What concerns one member; the stream ends with it. */
export class MemberEvents implements StreamView {
  constructor(private readonly memberId: string) {}

  snapshot(reading: GroupReading, format: WireFormat): Frame {
    const { revision } = reading.group;
    const data = showMemberSnapshot(this.memberId, reading);
    return frameOf(data === undefined ? this.#removed(revision) : { name: 'snapshot', revision, data }, format);
  }

  change(change: GroupChange, format: WireFormat): Frame | undefined {
    const own = ownChange(change, this.memberId);
    if (own === undefined) return undefined;
    const { revision, kind } = change;
    if (own.removed === true) return frameOf(this.#removed(revision, change.cause), format);
    return frameOf({ name: kind, revision, data: showChange({ ...change, members: [own] }) }, format);
  }

  bookmark(change: GroupChange, format: WireFormat): Frame {
    return bookmarks.of(change, format);
  }

  gone(revision: number, format: WireFormat): Frame {
    return frameOf(this.#removed(revision), format);
  }

  #removed(revision: number, cause?: string): WireEvent {
    const data = { memberId: this.memberId, ...(cause !== undefined && { cause }) };
    return { name: 'removed', revision, data, last: true };
  }
}

/** Changes by member: a thousand members that look for themselves in a change of a thousand would look a million times. */
const byMember = new WeakMap<GroupChange, ReadonlyMap<string, MemberChange>>();

function ownChange(change: GroupChange, memberId: string): MemberChange | undefined {
  let members = byMember.get(change);
  if (members === undefined) {
    members = new Map(change.members.map((member) => [member.memberId, member]));
    byMember.set(change, members);
  }
  return members.get(memberId);
}
