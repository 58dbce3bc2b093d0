import { SluiceError } from "../../errors/error.js";
import type { Job, Matrix, RowsOutput } from "../protocol.js";
import type { TokenRow } from "../tokenizer/row-template.js";
import { cutIntoRuns } from "./row-runs.js";
import { toRunError } from "./run-error.js";
import type { JobOutcome } from "./worker-model.js";

/** Between jobs and runs: what a model does with the rows of its jobs. */
export interface RowModel {
  /** Tokenises a job. @throws when the job does not fit the model */
  readonly read: (job: Job) => readonly TokenRow[];
  /** false: rows of different jobs never share a run. */
  readonly sharesRuns: boolean;
  /** Runs rows together and returns one row of output for each, in their order. */
  readonly run: (rows: readonly TokenRow[]) => Promise<Matrix>;
}

/** A job whose texts are tokenised. */
interface RowJob {
  readonly id: number;
  readonly rows: readonly TokenRow[];
}

/** Results of one job so far. */
interface Progress {
  readonly job: RowJob;
  readonly outputs: (Float32Array | undefined)[];
  missing: number;
  error: SluiceError | null;
  reported: boolean;
}

interface OwnedRow {
  readonly owner: Progress;
  readonly index: number;
  readonly row: TokenRow;
}

/**
 * Runs jobs, those that may share runs first. Each outcome comes as soon as the job's last row is done. When a shared
 * run fails, its jobs run one by one, so that only the guilty one fails.
 */
export async function* runRowJobs(jobs: readonly Job[], model: RowModel): AsyncIterable<JobOutcome> {
  const shared: RowJob[] = [];
  const alone: RowJob[] = [];
  for (const job of jobs) {
    const rows = readRows(job, model);
    if (rows instanceof SluiceError) yield { id: job.id, error: rows };
    else (model.sharesRuns && !job.alone ? shared : alone).push({ id: job.id, rows });
  }
  for (const group of [shared, ...alone.map((job) => [job])]) {
    const rows = group.map(startOf).flatMap(rowsOf);
    for (const together of cutIntoRuns(rows, ({ row }) => row.ids.length)) {
      await runTogether(together, model);
      yield* newOutcomes(together);
    }
  }
}

function readRows(job: Job, model: RowModel): readonly TokenRow[] | SluiceError {
  try {
    const rows = model.read(job);
    return rows.length > 0 ? rows : new SluiceError("MODEL_RUN_FAILED", "the job holds no text");
  } catch (thrown) {
    return toRunError(thrown);
  }
}

const startOf = (job: RowJob): Progress => {
  return { job, outputs: job.rows.map(() => undefined), missing: job.rows.length, error: null, reported: false };
};

const rowsOf = (owner: Progress): readonly OwnedRow[] => owner.job.rows.map((row, index) => ({ owner, index, row }));

const ownersOf = (rows: readonly OwnedRow[]): readonly Progress[] => [...new Set(rows.map(({ owner }) => owner))];

async function runTogether(rows: readonly OwnedRow[], model: RowModel): Promise<void> {
  const wanted = rows.filter(({ owner }) => owner.error === null);
  const [first, ...others] = ownersOf(wanted);
  if (first === undefined) return;
  try {
    keep(wanted, await model.run(wanted.map(({ row }) => row)));
  } catch (thrown) {
    if (others.length === 0) first.error = toRunError(thrown);
    else
      for (const one of [first, ...others])
        await runTogether(
          wanted.filter(({ owner }) => owner === one),
          model,
        );
  }
}

function keep(rows: readonly OwnedRow[], { columns, values }: Matrix): void {
  for (const [at, { owner, index }] of rows.entries()) {
    owner.outputs[index] = values.subarray(at * columns, (at + 1) * columns);
    owner.missing -= 1;
  }
}

function* newOutcomes(rows: readonly OwnedRow[]): Iterable<JobOutcome> {
  for (const owner of ownersOf(rows)) {
    if (owner.reported || (owner.error === null && owner.missing > 0)) continue;
    owner.reported = true;
    const { id } = owner.job;
    if (owner.error === null) yield { id, output: outputOf(owner) };
    else yield { id, error: owner.error };
  }
}

function outputOf({ job, outputs }: Progress): RowsOutput {
  const columns = outputs[0]?.length ?? 0;
  const values = new Float32Array(outputs.length * columns);
  for (const [row, output] of outputs.entries()) values.set(output ?? [], row * columns);
  const truncatedRows = job.rows.filter(({ truncated }) => truncated).length;
  return { kind: "rows", matrix: { rows: outputs.length, columns, values }, truncatedRows };
}
