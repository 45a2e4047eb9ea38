import type { ChangeFeed, ChangePage, GroupChange, GroupReading, GroupStore } from '@allot/coordinator';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventSink } from '../src/streams/event-sink.js';
import { frameOf, type Frame } from '../src/streams/frames.js';
import { GroupTail, MAX_CATCH_UP } from '../src/streams/group-tail.js';
import { StreamReader } from '../src/streams/stream-reader.js';
import type { StreamView } from '../src/streams/stream-view.js';

const REF = { cluster: 'c', groupId: 'g' };

/** A group whose history is a list of revisions, and a feed whose hints the test gives. */
class History {
  newest = 1;
  oldest = 1;
  fails = false;
  reads = 0;
  hint: () => void = () => undefined;

  readonly feed: ChangeFeed = {
    watch: (_ref, onHint) => {
      this.hint = onHint;
      return () => (this.hint = () => undefined);
    },
  };

  readonly store = {
    read: async () => this.#ask(() => ({ group: { revision: this.newest } }) as unknown as GroupReading),
    changesSince: async (_ref: unknown, since: number, limit: number): Promise<ChangePage> =>
      this.#ask(() => {
        const first = Math.max(since + 1, this.oldest);
        const count = Math.max(0, Math.min(limit, this.newest - first + 1));
        const changes = Array.from(
          { length: count },
          (_, i) => ({ revision: first + i, members: [] }) as unknown as GroupChange,
        );
        return { changes, oldest: this.oldest, newest: this.newest };
      }),
  } as unknown as GroupStore;

  add(count: number): void {
    this.newest += count;
    this.hint();
  }

  async #ask<T>(answer: () => T): Promise<T> {
    this.reads++;
    await Promise.resolve();
    if (this.fails) throw new Error('away');
    return answer();
  }
}

/** A connection that is full when the test says so, and what went over it. */
class Connection {
  readonly seen: string[] = [];
  full = false;
  #resume: (() => void) | undefined;

  readonly sink = {
    format: 'sse',
    write: ({ body }: Frame) => {
      this.seen.push(body.toString().split('\n')[0]!);
      return !this.full;
    },
    whenDrained: (resume: () => void) => (this.#resume = resume),
    end: () => this.seen.push('end'),
  } as unknown as EventSink;

  /** It is no longer full. */
  drain(): void {
    this.full = false;
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}

const show = (name: string, last = false) => frameOf({ name, data: null, last }, 'sse');
const VIEW: StreamView = {
  snapshot: ({ group }) => show(`s${group.revision}`),
  change: ({ revision }) => (revision % 10 === 0 ? undefined : show(`${revision}`)),
  bookmark: ({ revision }) => show(`b${revision}`),
  gone: (revision) => show(`gone${revision}`, true),
};

function follow(history = new History()) {
  const connection = new Connection();
  const tail = new GroupTail(history.store, history.feed, REF);
  const reader = new StreamReader(connection.sink, VIEW, tail, history.newest);
  reader.begin({ reading: { group: { revision: history.newest } } as unknown as GroupReading });
  return {
    history,
    tail,
    reader,
    seen: () => connection.seen.splice(0).map((line) => line.replace('event: ', '')),
    connection,
  };
}

const settle = async () => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};
const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

describe('readers of a group', () => {
  it('share one read of what is new, however many they are', async () => {
    const { history, tail, seen } = follow();
    const others = Array.from({ length: 50 }, () => {
      const connection = new Connection();
      const reader = new StreamReader(connection.sink, VIEW, tail, 1);
      reader.begin({ missed: [] });
      return connection;
    });
    await settle();
    history.reads = 0;
    history.add(2);
    await settle();
    expect(history.reads).toBe(1);
    expect(seen()).toEqual(['s1', '2', '3']);
    for (const { seen: theirs } of others) expect(theirs).toEqual([': alive', 'event: 2', 'event: 3']);
  });

  it('are given nothing while they are full, and go on where they were', async () => {
    const { history, seen, connection } = follow();
    await settle();
    connection.full = true;
    history.add(5);
    await settle();
    expect(seen()).toEqual(['s1', '2']);
    history.add(3);
    await settle();
    expect(seen()).toEqual([]);
    connection.drain();
    expect(seen()).toEqual(names(3, 9));
  });

  it('get a snapshot instead when they are too far behind, and then each change again', async () => {
    const { history, seen, connection } = follow();
    await settle();
    connection.full = true;
    history.add(1);
    await settle();
    for (let i = 0; i < 3; i++) {
      history.add(MAX_CATCH_UP / 2);
      await settle();
    }
    const { newest } = history;
    connection.drain();
    await settle();
    expect(seen()).toEqual(['s1', '2', `s${newest}`]);
    history.add(2);
    await settle();
    expect(seen()).toEqual(names(newest + 1, newest + 2));
  });

  it('are told by a bookmark of what is not for them, and of the end', async () => {
    const { history, seen, reader } = follow();
    await settle();
    history.add(9);
    await settle();
    expect(seen()).toEqual(['s1', ...names(2, 9), 'b10']);
    history.newest = 0;
    history.hint();
    await settle();
    expect(seen()).toEqual(['gone10', 'end']);
    reader.comment();
    reader.tell(show('call'));
    expect(seen()).toEqual([]);
  });

  it('start over when the history between is gone, or another group has the id', async () => {
    const { history, seen } = follow();
    await settle();
    history.oldest = 8;
    history.add(8);
    await settle();
    history.newest = 4;
    history.oldest = 1;
    history.hint();
    await settle();
    expect(seen()).toEqual(['s1', 's9', 's4']);
  });

  it('miss nothing while the store is away', async () => {
    const { history, seen } = follow();
    await settle();
    history.fails = true;
    history.add(3);
    await settle();
    history.fails = false;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(seen()).toEqual(['s1', '2', '3', '4']);
  });

  it('see every revision once and in order, with a gap only before a snapshot, whatever their connections do', async () => {
    const step = fc.oneof(
      fc.nat(30).map((count) => ({ add: count })),
      fc.nat(150).map((count) => ({ add: count })),
      fc.constant('full' as const),
      fc.constant('drain' as const),
      fc.constant('settle' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { history, seen, connection } = follow();
        for (const one of steps) {
          if (one === 'full') connection.full = true;
          else if (one === 'drain') connection.drain();
          else if (one === 'settle') await settle();
          else history.add(one.add);
        }
        connection.drain();
        await settle();
        let last = 0;
        for (const name of seen()) {
          const revision = Number(name.replace(/^[sb]/, ''));
          // Every tenth is not for this reader: it is told by a bookmark, or by nothing if more follows at once.
          const isSilent = (last + 1) % 10 === 0 && !name.startsWith('b');
          if (name.startsWith('s')) expect(revision).toBeGreaterThanOrEqual(last);
          else expect(revision).toBe(isSilent ? last + 2 : last + 1);
          last = revision;
        }
        expect(last).toBe(history.newest);
      }),
      { numRuns: 60 },
    );
  });
});
