import type { RoutableRow } from "./routable.js";

/** Counts of the requests on one side of the scope. */
export interface SideCounts {
  readonly routed: number;
  readonly errors: number;
  /** Sum over families of the squared number of errors. */
  readonly errorSquares: number;
}

class Side {
  routed = 0;
  routedSquares = 0;
  errors = 0;
  errorSquares = 0;
}

/** Numbers of the groups that requests belong to; a request without a group has a number of its own. */
function numbered(groups: readonly (string | undefined)[]) {
  const numbers = new Map<string, number>();
  let count = 0;
  const of = Int32Array.from(groups, (group) => {
    const known = group === undefined ? undefined : numbers.get(group);
    if (known !== undefined) return known;
    if (group !== undefined) numbers.set(group, count);
    count += 1;
    return count - 1;
  });
  return { of, count };
}

/**
 * Counts requests and errors, one request at a time. Near-copies count as one request. Requests that only resemble each
 * other are independent as long as their errors are: errors are counted by family.
 */
export class FamilyTally {
  readonly #copyOf: Int32Array;
  readonly #familyOf: Int32Array;
  readonly #isOutOfScope: Uint8Array;
  readonly #routed: Int32Array;
  readonly #errors: Int32Array;
  readonly #inside = new Side();
  readonly #outside = new Side();

  constructor(rows: readonly Pick<RoutableRow, "family" | "nearCopy" | "outOfScope">[]) {
    const copies = numbered(rows.map(({ nearCopy }) => nearCopy));
    const families = numbered(rows.map(({ family }) => family));
    this.#copyOf = copies.of;
    this.#familyOf = families.of;
    this.#isOutOfScope = Uint8Array.from(rows, ({ outOfScope }) => (outOfScope ? 1 : 0));
    this.#routed = new Int32Array(copies.count);
    this.#errors = new Int32Array(families.count);
  }

  #sideOf(row: number): Side {
    return this.#isOutOfScope[row] === 1 ? this.#outside : this.#inside;
  }

  /** Counts the request as routed. */
  add(row: number): void {
    const side = this.#sideOf(row);
    const copies = this.#copyOf[row];
    side.routed += 1;
    side.routedSquares += 2 * this.#routed[copies] + 1;
    this.#routed[copies] += 1;
  }

  /** Counts an error of the request. */
  addError(row: number): void {
    const side = this.#sideOf(row);
    const family = this.#familyOf[row];
    side.errors += 1;
    side.errorSquares += 2 * this.#errors[family] + 1;
    this.#errors[family] += 1;
  }

  side(outOfScope: boolean): SideCounts {
    const { routed, errors, errorSquares } = outOfScope ? this.#outside : this.#inside;
    return { routed, errors, errorSquares };
  }

  /** Expected number of near-copies of a random counted request, itself included, >= 1. */
  copies(outOfScope: boolean): number {
    const { routed, routedSquares } = outOfScope ? this.#outside : this.#inside;
    return routed === 0 ? 1 : routedSquares / routed;
  }
}
