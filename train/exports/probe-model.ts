import { type RunScope, unbounded } from "../../src/documents/run-scope.js";
import type { InferencePool } from "../../src/inference/pool.js";
import type { JobInput, Matrix, ModelSpec } from "../../src/inference/protocol.js";
import { type ModelFiles, type TransformerModel, transformerFiles } from "../../src/router/retrieval/model-files.js";
import { probeDocuments, probeTexts } from "./probe-texts.js";
import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";

export interface Probe {
  readonly rows: readonly Float32Array[];
  /** Number of values per row. */
  readonly columns: number;
}

interface ProbeWatch {
  readonly signal: AbortSignal;
  /** Called with the number of finished runs and the total. */
  readonly onRun?: ((done: number, total: number) => void) | undefined;
}

/** Loads a model and runs every probe row. @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED, REQUEST_CANCELLED */
export async function probeModel(
  pool: InferencePool,
  files: ModelFiles,
  model: ProbedModel,
  { signal, onRun }: ProbeWatch,
): Promise<Probe> {
  const loaded = await pool.load(probeSpec(files, model));
  const rows: Float32Array[] = [];
  const inputs = singleRows(model.role);
  for (const [index, input] of inputs.entries()) {
    const { matrix } = await loaded.run(input, scopeOf(signal));
    rows.push(...rowsOf(matrix));
    onRun?.(index + 1, inputs.length);
  }
  return { rows, columns: rows[0]?.length ?? 0 };
}

const scopeOf = (signal: AbortSignal): RunScope => ({ ...unbounded, signal });

function singleRows(role: ProbedModel["role"]): readonly JobInput[] {
  if (role === "retriever") return probeTexts.map((text) => textsJob([text]));
  return probeTexts.flatMap((text) => [...probeDocuments.keys()].map((document) => pairsJob(text, [document])));
}

function rowsOf({ rows, columns, values }: Matrix): readonly Float32Array[] {
  return Array.from({ length: rows }, (_, row) => values.subarray(row * columns, (row + 1) * columns));
}

const textsJob = (texts: readonly string[]): JobInput => ({ kind: "texts", texts });

const pairsJob = (text: string, documents: readonly number[]): JobInput => ({ kind: "pairs", text, documents });

/** The fields of a description, or of a draft, that determine a run's output. */
export type ProbedModel = TransformerModel &
  (Pick<EncoderRetrieverModel, "role" | "pooling" | "normalise"> | Pick<CrossEncoderModel, "role">);

/**
 * The specification from which a thread builds a model for probes, with the probe documents for pairs.
 * @throws {SluiceError} MODEL_INVALID  a file is missing
 */
function probeSpec(files: ModelFiles, model: ProbedModel): ModelSpec {
  const transformer = transformerFiles(files, model, model.role);
  if (model.role === "verifier") return { ...transformer, kind: "pair_scorer", documents: probeDocuments };
  return { ...transformer, kind: "encoder", pooling: model.pooling, normalise: model.normalise };
}
