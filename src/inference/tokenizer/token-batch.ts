import type { TokenRow } from "./row-template.js";

/** Rows of one run, filled up to the longest. All arrays are [rows, tokens], row-major. */
export interface TokenBatch {
  readonly rows: number;
  readonly tokens: number;
  readonly inputIds: BigInt64Array;
  /** 1 for a token, 0 for filling. */
  readonly attentionMask: BigInt64Array;
  readonly tokenTypeIds: BigInt64Array;
  /** Tokens of each row without filling. */
  readonly lengths: readonly number[];
}

/** Fills rows at their end. @param padId  token that is filled in */
export function padRows(rows: readonly TokenRow[], padId: number): TokenBatch {
  const lengths = rows.map(({ ids }) => ids.length);
  const tokens = Math.max(...lengths);
  const size = rows.length * tokens;
  const inputIds = new BigInt64Array(size).fill(BigInt(padId));
  const attentionMask = new BigInt64Array(size);
  const tokenTypeIds = new BigInt64Array(size);
  for (const [row, { ids, typeIds }] of rows.entries()) {
    const start = row * tokens;
    attentionMask.fill(1n, start, start + ids.length);
    for (const [at, id] of ids.entries()) inputIds[start + at] = BigInt(id);
    for (const [at, typeId] of typeIds.entries()) tokenTypeIds[start + at] = BigInt(typeId);
  }
  return { rows: rows.length, tokens, inputIds, attentionMask, tokenTypeIds, lengths };
}
