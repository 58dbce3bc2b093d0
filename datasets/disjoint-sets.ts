/**
 * Union-find over indices. The smallest index of a set is its root, so roots do not depend on the order of the unions.
 */
export class DisjointSets {
  readonly #parent: Int32Array;

  constructor(size: number) {
    this.#parent = Int32Array.from({ length: size }, (_, index) => index);
  }

  find(index: number): number {
    let root = index;
    while (this.#parent[root] !== root) root = this.#parent[root];
    for (let at = index; at !== root; ) {
      const next = this.#parent[at];
      this.#parent[at] = root;
      at = next;
    }
    return root;
  }

  union(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    if (first !== second) this.#parent[Math.max(first, second)] = Math.min(first, second);
  }

  together(a: number, b: number): boolean {
    return this.find(a) === this.find(b);
  }
}
