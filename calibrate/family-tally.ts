/** A request with the near-copies, or the out-of-scope group, that it belongs to. */
interface FamilyMember {
  /** Absent if the request has no relatives. */
  readonly family?: string | undefined;
  readonly outOfScope: boolean;
}

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

/** Counts requests and errors by family, one request at a time. */
export class FamilyTally {
  readonly #familyOf: Int32Array;
  readonly #isOutOfScope: Uint8Array;
  readonly #routed: Int32Array;
  readonly #errors: Int32Array;
  readonly #inside = new Side();
  readonly #outside = new Side();

  constructor(rows: readonly FamilyMember[]) {
    const numbers = new Map<string, number>();
    let next = 0;
    this.#familyOf = Int32Array.from(rows, ({ family }) => {
      const known = family === undefined ? undefined : numbers.get(family);
      if (known !== undefined) return known;
      if (family !== undefined) numbers.set(family, next);
      next += 1;
      return next - 1;
    });
    this.#isOutOfScope = Uint8Array.from(rows, ({ outOfScope }) => (outOfScope ? 1 : 0));
    this.#routed = new Int32Array(next);
    this.#errors = new Int32Array(next);
  }

  #sideOf(row: number): Side {
    return this.#isOutOfScope[row] === 1 ? this.#outside : this.#inside;
  }

  /** Counts the request as routed. */
  add(row: number): void {
    const side = this.#sideOf(row);
    const family = this.#familyOf[row];
    side.routed += 1;
    side.routedSquares += 2 * this.#routed[family] + 1;
    this.#routed[family] += 1;
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

  /** Expected size of the family of a random counted request, >= 1. */
  familySize(outOfScope: boolean): number {
    const { routed, routedSquares } = outOfScope ? this.#outside : this.#inside;
    return routed === 0 ? 1 : routedSquares / routed;
  }
}
