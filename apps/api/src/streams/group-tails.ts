import type { ChangeFeed, GroupRef, GroupStore } from '@allot/coordinator';
import { Inject, Injectable } from '@nestjs/common';
import { CHANGE_FEED, GROUP_STORE } from '../ports.js';
import { GroupTail } from './group-tail.js';

/** The tails of the groups that somebody follows right now; one a group, however many follow it. */
@Injectable()
export class GroupTails {
  readonly #tails = new Map<string, { readonly tail: GroupTail; users: number }>();

  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(CHANGE_FEED) private readonly feed: ChangeFeed,
  ) {}

  /** Call `release` when it is not needed any more. */
  acquire(ref: GroupRef): { readonly tail: GroupTail; readonly release: () => void } {
    const key = JSON.stringify([ref.cluster, ref.groupId]);
    let entry = this.#tails.get(key);
    // A group that is gone may come again; those who followed it to its end are told of that one.
    if (entry === undefined || entry.tail.gone) {
      entry = { tail: new GroupTail(this.store, this.feed, ref), users: 0 };
      this.#tails.set(key, entry);
    }
    const { tail } = entry;
    entry.users++;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      if (--entry.users > 0) return;
      tail.close();
      if (this.#tails.get(key) === entry) this.#tails.delete(key);
    };
    return { tail, release };
  }
}
