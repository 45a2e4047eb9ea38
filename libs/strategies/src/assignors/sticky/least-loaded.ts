import { NOBODY } from '../owners.js';

/**
 * The member with the fewest partitions among some members, the first one of equals, kept up to date while counts change: a
 * tournament tree over the members. Building costs a step a member, an update log2(members) steps, asking nothing.
 */
export class LeastLoaded {
  readonly #counts: Int32Array;
  /** Winners of the matches: node 1 is the final, nodes 2n and 2n+1 feed node n; the leaves are the members in order. */
  #tree = new Int32Array(2);
  #width = 1;
  /** Leaf of each member, as of the last time it took part in a contest. */
  readonly #leafOf: Int32Array;

  /**
   * @param counts partitions of each member; changed by the caller, who then calls `update`
   * @param leafOf room for an entry a member; contests without a common member may share it
   */
  constructor(counts: Int32Array, leafOf: Int32Array = new Int32Array(counts.length)) {
    this.#counts = counts;
    this.#leafOf = leafOf;
    this.#tree.fill(NOBODY);
  }

  /** Starts over with these members. */
  reset(members: ArrayLike<number>): void {
    let width = 1;
    while (width < members.length) width *= 2;
    if (this.#tree.length < 2 * width) this.#tree = new Int32Array(2 * width);
    const tree = this.#tree;
    for (let i = 0; i < members.length; i++) {
      tree[width + i] = members[i]!;
      this.#leafOf[members[i]!] = width + i;
    }
    tree.fill(NOBODY, width + members.length, 2 * width);
    this.#width = width;
    for (let node = width - 1; node > 0; node--) this.#play(node);
  }

  /** The least loaded member, or NOBODY. */
  get member(): number {
    return this.#tree[1]!;
  }

  /** To be called after the count of a member has changed. Members that take no part are ignored. */
  update(member: number): void {
    const leaf = this.#leafOf[member]!;
    if (leaf < this.#width || leaf >= 2 * this.#width || this.#tree[leaf] !== member) return;
    for (let node = leaf >>> 1; node > 0; node >>>= 1) this.#play(node);
  }

  #play(node: number): void {
    const left = this.#tree[2 * node]!;
    const right = this.#tree[2 * node + 1]!;
    this.#tree[node] = right === NOBODY || this.#counts[left]! <= this.#counts[right]! ? left : right;
  }
}
