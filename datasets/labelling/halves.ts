import { sha256Hex } from "../../src/base/sha256.js";

/**
 * The rows in an order that the seed determines and that does not depend on their texts.
 * @param purpose  distinguishes the orders of one seed
 */
export function keyedOrder<T extends { readonly id: string }>(
  rows: readonly T[],
  { seed, purpose }: { readonly seed: number; readonly purpose: string },
): readonly T[] {
  const keys = new Map(rows.map(({ id }) => [id, sha256Hex(`${seed} ${purpose} ${id}`)]));
  const keyOf = ({ id }: T): string => keys.get(id) ?? "";
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Maximum number of rows from which examples or draws are chosen; of a larger log, a random part is used. */
export const mostRows = 2000;

/** The half of a log from which examples are chosen, and the half on which routes are tested. */
export function halvesOf<T extends { readonly id: string }>(rows: readonly T[], seed: number) {
  const order = keyedOrder(rows, { seed, purpose: "halves" });
  const middle = Math.ceil(order.length / 2);
  return { examples: order.slice(0, middle).slice(0, mostRows), test: order.slice(middle).slice(0, mostRows) };
}
