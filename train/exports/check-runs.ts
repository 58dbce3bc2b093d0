import type { CrossEncoderModel, EncoderRetrieverModel } from "../../src/documents/model.js";
import { toSluiceError } from "../../src/base/error.js";
import type { InferencePool } from "../../src/inference/pool.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { deriveActivation, lastDimension } from "./derive-output.js";
import { isMissing, missingText, failed, type ModelCheck, note, ok } from "./model-check.js";
import { type Probe, probeModel, type ProbeWatch } from "./probe-model.js";
import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";

export interface ModelRuntime extends ProbeWatch {
  readonly pool: InferencePool;
}

type Described = EncoderRetrieverModel | CrossEncoderModel;

export async function checkRuns(
  files: ModelFiles,
  described: Described,
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  const { pool, signal } = runtime;
  let probe: Probe;
  try {
    probe = await probeModel(pool, files, described, runtime);
  } catch (thrown) {
    signal.throwIfAborted();
    return [failed("probe", toSluiceError(thrown).message, "finite numbers for every text")];
  }
  const verifier = described.kind === "encoder" ? [] : [checkActivation(probe, described)];
  return [checkProbe(probe, described), ...verifier];
}

function checkProbe({ rows, columns }: Probe, described: Described): ModelCheck {
  const expected = described.kind === "encoder" ? described.dimensions : described.label_order.length;
  const found = `${rows.length} rows of ${columns} finite numbers`;
  return columns === expected ? ok("probe", found) : failed("probe", found, `${expected} numbers in a row`);
}

/**
 * Checks the described activation. Raw logits described as probabilities are invalid; probabilities described as logits
 * would be converted twice, which changes every score.
 */
function checkActivation({ rows }: Probe, { activation }: CrossEncoderModel): ModelCheck {
  const measured = deriveActivation(rows, undefined);
  if (!isMissing(measured)) {
    return activation === "none" ? ok("activation", "none", measured.source) : failed("activation", activation, "none");
  }
  const stated = deriveActivation(rows, activation);
  if (isMissing(stated)) return failed("activation", activation, missingText(stated));
  return activation === "none" ? note("activation", "none", measured.missing) : ok("activation", activation);
}

/** The input that every graph must have, and optional inputs that the runtime supplies. */
const requiredInput = "input_ids";
const optionalInputs = ["attention_mask", "token_type_ids"];

/** The fields of a description that must match its graph. */
interface DescribedOutput {
  readonly output: string;
  /** Numbers per row: dimensions of a vector, or columns of a verifier. */
  readonly columns: number;
}

/** Checks inputs, output and width of a graph against the runtime and the description. */
export function checkGraph(facts: GraphFacts, described: DescribedOutput): readonly ModelCheck[] {
  const output = facts.outputs.find(({ name }) => name === described.output);
  const names = facts.outputs.map(({ name }) => name).join(", ");
  if (output === undefined) {
    return [checkInputs(facts.inputs), failed("output", `the graph has ${names}`, described.output)];
  }
  return [checkInputs(facts.inputs), ok("output", portText(output)), checkWidth(output, described.columns)];
}

function checkInputs(inputs: readonly GraphPortFacts[]): ModelCheck {
  const text = inputs.map(portText).join(", ");
  const known = [requiredInput, ...optionalInputs];
  const understood = inputs.every(({ name, elementType }) => known.includes(name) && elementType === "int64");
  if (understood && inputs.some(({ name }) => name === requiredInput)) return ok("inputs", text);
  return failed("inputs", text, `${requiredInput} and at most ${optionalInputs.join(", ")}, all int64`);
}

function checkWidth(output: GraphPortFacts, columns: number): ModelCheck {
  const width = lastDimension(output);
  if (width === undefined) return ok("width", `${columns}; the graph leaves it open`);
  return width === columns ? ok("width", `${width}`) : failed("width", `${columns}`, `${width}, as the graph says`);
}

/** Formats an input or output, e.g. `logits float32[batch, 3]`. */
export function portText({ name, elementType, shape }: GraphPortFacts): string {
  return `${name} ${elementType ?? "not a tensor"}[${shape.join(", ")}]`;
}
