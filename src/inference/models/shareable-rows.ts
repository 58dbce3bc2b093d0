import type { Matrix } from "../protocol.js";

type Run = (input: Matrix) => Promise<Matrix>;

/** Rows of a shared run: more of them bring little and delay the first answer. */
const mostRows = 64;
/** Numbers that the output of a shared run may have, 4 MiB. */
const mostOutputs = 2 ** 20;
const triedRows = [2, 3, 4, 5, 6, 7, 8, 11, 16, 31, 64];

/**
 * How many rows of different jobs one run of a graph may have: as many as give each row exactly the bits of a single
 * run. ONNX Runtime chooses the order of additions by the shape, the machine and its version, so this is tried, not
 * assumed. 1 when rows depend on each other, or the graph takes a fixed number of rows.
 */
export async function shareableRows(run: Run, columns: number): Promise<number> {
  try {
    const alone: Uint32Array[] = [];
    let most = mostRows;
    for (let row = 0; row < most; row += 1) {
      const output = await run({ rows: 1, columns, values: trialRow(row, columns) });
      most = Math.min(mostRows, Math.floor(mostOutputs / output.columns));
      alone.push(bitsOf(output.values));
    }
    let shareable = 1;
    for (const rows of triedRows.filter((count) => count <= most)) {
      if (!(await equalRows(run, alone.slice(0, rows), columns))) return 1;
      shareable = rows;
    }
    return shareable;
  } catch {
    return 1;
  }
}

async function equalRows(run: Run, alone: readonly Uint32Array[], columns: number): Promise<boolean> {
  const values = new Float32Array(alone.length * columns);
  for (const row of alone.keys()) values.set(trialRow(row, columns), row * columns);
  const together = await run({ rows: alone.length, columns, values });
  const bits = bitsOf(together.values);
  return alone.every((own, row) => own.every((value, i) => value === bits[row * together.columns + i]));
}

const bitsOf = ({ buffer, byteOffset, length }: Float32Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length);

/** Numbers between -1 and 1 without a pattern, with some zeros. */
function trialRow(row: number, columns: number): Float32Array {
  let state = 0x9e3779b9 ^ (row + 1);
  return Float32Array.from({ length: columns }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % 16 === 0 ? 0 : state / 2 ** 31 - 1;
  });
}
