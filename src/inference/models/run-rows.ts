import { SluiceError } from "../../base/error.js";
import type { Job } from "../protocol.js";
import type { TokenRow } from "../tokenizer/row-template.js";
import { toRunError } from "./run-error.js";
import type { JobOutcome } from "./worker-model.js";

/** How a model processes the rows of a job. */
interface RowModel {
  /** Tokenises a job. @throws if the job does not fit the model */
  readonly read: (job: Job) => readonly TokenRow[];
  /** Runs a single row and returns its columns. */
  readonly run: (row: TokenRow) => Promise<Float32Array>;
}

/**
 * Runs jobs row by row. Graphs with dynamic quantisation scale numbers by the content of the whole run, so each row
 * runs separately and its output depends on that row only.
 */
export async function* runRows(jobs: readonly Job[], model: RowModel): AsyncIterable<JobOutcome> {
  for (const job of jobs) {
    try {
      yield { id: job.id, output: await outputOf(model.read(job), model) };
    } catch (thrown) {
      yield { id: job.id, error: toRunError(thrown) };
    }
  }
}

async function outputOf(rows: readonly TokenRow[], { run }: RowModel) {
  if (rows.length === 0) throw new SluiceError("MODEL_RUN_FAILED", "the job holds no text");
  const outputs: Float32Array[] = [];
  for (const row of rows) outputs.push(await run(row));
  const columns = outputs[0]?.length ?? 0;
  const values = new Float32Array(rows.length * columns);
  for (const [place, output] of outputs.entries()) {
    if (output.length !== columns || !output.every(Number.isFinite)) {
      const message = "the model output contains a number that is not finite, or rows of different lengths";
      throw new SluiceError("MODEL_RUN_FAILED", message);
    }
    values.set(output, place * columns);
  }
  const truncatedRows = rows.filter(({ truncated }) => truncated).length;
  return { kind: "rows", matrix: { rows: rows.length, columns, values }, truncatedRows } as const;
}
