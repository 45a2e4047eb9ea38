/** An entry of a `JavaHashMap`; `hash` is the spread hash code. */
export interface JavaEntry<K, V> {
  readonly hash: number;
  readonly key: K;
  value: V;
}

interface Node<K, V> {
  readonly entry: JavaEntry<K, V>;
  red: boolean;
  parent: Node<K, V> | undefined;
  left: Node<K, V> | undefined;
  right: Node<K, V> | undefined;
  next: Node<K, V> | undefined;
  previous: Node<K, V> | undefined;
}

/**
 * A crowded bucket of `java.util.HashMap`: a red-black tree by hash, then by key, that is also a list. A walk follows the
 * list. The tree decides the list's order in two ways: a new entry comes right behind its parent at the moment of insertion,
 * and whichever node is the root after a change is moved to the front.
 *
 * Buckets grow this far only when at least nine keys of a table of 64 or more buckets meet, so groups with ordinary ids never
 * get here; ids made to collide do.
 */
export class TreeBucket<K, V> implements Iterable<JavaEntry<K, V>> {
  #first: Node<K, V> | undefined;
  #root: Node<K, V> | undefined;
  readonly #compare: (a: K, b: K) => number;

  private constructor(compare: (a: K, b: K) => number) {
    this.#compare = compare;
  }

  /** A tree of entries in list order. */
  static of<K, V>(entries: readonly JavaEntry<K, V>[], compare: (a: K, b: K) => number): TreeBucket<K, V> {
    const bucket = new TreeBucket<K, V>(compare);
    let last: Node<K, V> | undefined;
    for (const entry of entries) {
      const node = newNode(entry);
      node.previous = last;
      if (last === undefined) bucket.#first = node;
      else last.next = node;
      last = node;
      bucket.#attach(node);
    }
    bucket.#moveRootToFront();
    return bucket;
  }

  *[Symbol.iterator](): Generator<JavaEntry<K, V>> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node.entry;
  }

  add(entry: JavaEntry<K, V>): void {
    const node = newNode(entry);
    const parent = this.#attach(node)!;
    node.previous = parent;
    node.next = parent.next;
    if (parent.next !== undefined) parent.next.previous = node;
    parent.next = node;
    this.#moveRootToFront();
  }

  /** Removes an entry; answers the remaining list when the tree has become too small to stay one. */
  remove(entry: JavaEntry<K, V>): JavaEntry<K, V>[] | undefined {
    const node = this.#find(entry);
    const root = this.#root!;
    this.#unlink(node);
    if (root.right === undefined || root.left?.left === undefined) return [...this];
    this.#detach(node);
    this.#moveRootToFront();
    return undefined;
  }

  #order(a: JavaEntry<K, V>, b: JavaEntry<K, V>): number {
    return a.hash - b.hash || this.#compare(a.key, b.key);
  }

  #find(entry: JavaEntry<K, V>): Node<K, V> {
    let node = this.#root!;
    while (node.entry !== entry) node = (this.#order(entry, node.entry) < 0 ? node.left : node.right)!;
    return node;
  }

  #unlink(node: Node<K, V>): void {
    if (node.previous === undefined) this.#first = node.next;
    else node.previous.next = node.next;
    if (node.next !== undefined) node.next.previous = node.previous;
  }

  #moveRootToFront(): void {
    const root = this.#root!;
    if (this.#first === root) return;
    this.#unlink(root);
    root.previous = undefined;
    root.next = this.#first;
    this.#first!.previous = root;
    this.#first = root;
  }

  /** Inserts as a leaf and rebalances; answers the parent at the moment of insertion. */
  #attach(node: Node<K, V>): Node<K, V> | undefined {
    let parent: Node<K, V> | undefined;
    let below = this.#root;
    let left = false;
    while (below !== undefined) {
      parent = below;
      left = this.#order(node.entry, below.entry) < 0;
      below = left ? below.left : below.right;
    }
    node.parent = parent;
    if (parent === undefined) this.#root = node;
    else if (left) parent.left = node;
    else parent.right = node;
    this.#repairAfterInsertion(node);
    return parent;
  }

  #repairAfterInsertion(inserted: Node<K, V>): void {
    let node = inserted;
    node.red = true;
    while (node.parent?.red) {
      const grandparent = node.parent.parent!;
      const leftSide = node.parent === grandparent.left;
      const uncle = leftSide ? grandparent.right : grandparent.left;
      if (uncle?.red) {
        node.parent.red = false;
        uncle.red = false;
        grandparent.red = true;
        node = grandparent;
        continue;
      }
      if (node === (leftSide ? node.parent.right : node.parent.left)) {
        node = node.parent;
        this.#rotate(node, leftSide);
      }
      node.parent!.red = false;
      grandparent.red = true;
      this.#rotate(grandparent, !leftSide);
    }
    this.#root!.red = false;
  }

  #detach(node: Node<K, V>): void {
    if (node.left !== undefined && node.right !== undefined) {
      let successor = node.right;
      while (successor.left !== undefined) successor = successor.left;
      this.#swap(node, successor);
    }
    const child = node.left ?? node.right;
    if (child !== undefined) {
      this.#replace(node, child);
      if (!node.red) this.#repairAfterRemoval(child);
    } else {
      if (!node.red) this.#repairAfterRemoval(node);
      this.#replace(node, undefined);
    }
  }

  /** Puts `child` where `node` is. */
  #replace(node: Node<K, V>, child: Node<K, V> | undefined): void {
    if (child !== undefined) child.parent = node.parent;
    if (node.parent === undefined) this.#root = child;
    else if (node.parent.left === node) node.parent.left = child;
    else node.parent.right = child;
  }

  /** Exchanges the places and colours of a node with two children and its successor, which has no left child. */
  #swap(node: Node<K, V>, successor: Node<K, V>): void {
    const { left, right, red } = node;
    const successorParent = successor.parent!;
    const successorRight = successor.right;
    this.#replace(node, successor);
    node.red = successor.red;
    successor.red = red;
    successor.left = left;
    left!.parent = successor;
    if (successorParent === node) {
      successor.right = node;
      node.parent = successor;
    } else {
      successor.right = right;
      right!.parent = successor;
      successorParent.left = node;
      node.parent = successorParent;
    }
    node.left = undefined;
    node.right = successorRight;
    if (successorRight !== undefined) successorRight.parent = node;
  }

  #repairAfterRemoval(start: Node<K, V>): void {
    let node = start;
    while (node !== this.#root && !node.red) {
      const parent = node.parent!;
      const leftSide = node === parent.left;
      let sibling = (leftSide ? parent.right : parent.left)!;
      if (sibling.red) {
        sibling.red = false;
        parent.red = true;
        this.#rotate(parent, leftSide);
        sibling = (leftSide ? parent.right : parent.left)!;
      }
      if (!sibling.left?.red && !sibling.right?.red) {
        sibling.red = true;
        node = parent;
        continue;
      }
      if (!(leftSide ? sibling.right : sibling.left)?.red) {
        (leftSide ? sibling.left : sibling.right)!.red = false;
        sibling.red = true;
        this.#rotate(sibling, !leftSide);
        sibling = (leftSide ? parent.right : parent.left)!;
      }
      sibling.red = parent.red;
      parent.red = false;
      (leftSide ? sibling.right : sibling.left)!.red = false;
      this.#rotate(parent, leftSide);
      node = this.#root!;
    }
    node.red = false;
  }

  /** Rotates to the left or to the right around `node`. */
  #rotate(node: Node<K, V>, toLeft: boolean): void {
    const up = (toLeft ? node.right : node.left)!;
    const across = toLeft ? up.left : up.right;
    if (toLeft) node.right = across;
    else node.left = across;
    if (across !== undefined) across.parent = node;
    this.#replace(node, up);
    if (toLeft) up.left = node;
    else up.right = node;
    node.parent = up;
  }
}

function newNode<K, V>(entry: JavaEntry<K, V>): Node<K, V> {
  return {
    entry,
    red: false,
    parent: undefined,
    left: undefined,
    right: undefined,
    next: undefined,
    previous: undefined,
  };
}
