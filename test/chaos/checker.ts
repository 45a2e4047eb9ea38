import type { Holding, Verdict } from './worker.js';

/** One member working on one partition, by its own log. */
export interface Work {
  readonly member: string;
  readonly from: number;
  readonly to: number;
}

export interface Overlap {
  readonly partition: string;
  readonly a: Work;
  readonly b: Work;
}

/**
 * Who worked on what, when, from what all workers logged. A worker works on what it holds until its next entry, until its validity
 * ends, or until its process was killed, whichever is first.
 */
export class WorkLog {
  readonly #byMember = new Map<string, Holding[]>();
  readonly #killed = new Map<string, number>();
  readonly #verdicts: Verdict[] = [];

  add(holding: Holding): void {
    let entries = this.#byMember.get(holding.member);
    if (entries === undefined) this.#byMember.set(holding.member, (entries = []));
    entries.push(holding);
  }

  addVerdict(verdict: Verdict): void {
    this.#verdicts.push(verdict);
  }

  get verdicts(): number {
    return this.#verdicts.length;
  }

  /** The member's process was gone at this moment. */
  kill(member: string, at: number): void {
    this.#killed.set(member, at);
  }

  get entries(): number {
    let count = 0;
    for (const entries of this.#byMember.values()) count += entries.length;
    return count;
  }

  /** Partition -> work on it, by beginning. */
  works(): ReadonlyMap<string, readonly Work[]> {
    const works = new Map<string, Work[]>();
    for (const [member, entries] of this.#byMember) {
      entries.sort((a, b) => a.at - b.at);
      for (const [i, { at, until, held }] of entries.entries()) {
        const to = Math.min(until, entries[i + 1]?.at ?? Infinity, this.#killed.get(member) ?? Infinity);
        if (to <= at) continue;
        for (const [topic, partitions] of Object.entries(held)) {
          for (const partition of partitions) append(works, `${topic}-${partition}`, { member, from: at, to });
        }
      }
    }
    for (const list of works.values()) list.sort((a, b) => a.from - b.from);
    return works;
  }

  /** Every time that two members worked on one partition at once. */
  overlaps(): Overlap[] {
    const overlaps: Overlap[] = [];
    for (const [partition, list] of this.works()) {
      let last = list[0]!;
      for (const work of list.slice(1)) {
        if (work.member !== last.member && work.from < last.to) overlaps.push({ partition, a: last, b: work });
        if (work.to > last.to || work.member === last.member) last = work;
      }
    }
    return overlaps;
  }

  /** Writes that the service allowed to one member while another held the partition all the time between question and answer. */
  staleWrites(): string[] {
    const works = this.works();
    const found: string[] = [];
    for (const { member, from, to, valid } of this.#verdicts) {
      for (const [topic, partitions] of Object.entries(valid)) {
        for (const partition of partitions) {
          const list = works.get(`${topic}-${partition}`) ?? [];
          const holder = list.find((work) => work.member !== member && work.from <= from && work.to >= to);
          if (holder !== undefined)
            found.push(`${member} was allowed to write ${topic}-${partition} of ${holder.member}`);
        }
      }
    }
    return found;
  }

  /** Times from a join to the first partitions, ascending, in ms. */
  grantTimes(): number[] {
    const times: number[] = [];
    for (const entries of this.#byMember.values()) {
      for (const { firstGrantMs } of entries) if (firstGrantMs !== undefined) times.push(firstGrantMs);
    }
    return times.sort((a, b) => a - b);
  }

  /** Epochs and revisions that a member was told never fall. */
  regressions(): string[] {
    const found: string[] = [];
    for (const [member, entries] of this.#byMember) {
      for (const [i, { epoch }] of entries.entries()) {
        if (i > 0 && epoch < entries[i - 1]!.epoch)
          found.push(`the epoch of ${member} fell from ${entries[i - 1]!.epoch} to ${epoch}`);
      }
    }
    return found;
  }

  /** The highest revision that a worker on this topic was told of. */
  highestRevision(topic: string): number {
    let highest = 0;
    for (const entries of this.#byMember.values())
      for (const { revision = 0, held } of entries) if (topic in held) highest = Math.max(highest, revision);
    return highest;
  }
}

function append(works: Map<string, Work[]>, key: string, work: Work): void {
  const list = works.get(key);
  const last = list?.at(-1);
  if (list === undefined) works.set(key, [work]);
  // Consecutive entries of one member are one piece of work.
  else if (last!.member === work.member && last!.to === work.from) list[list.length - 1] = { ...last!, to: work.to };
  else list.push(work);
}
