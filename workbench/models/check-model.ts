import type {
  CrossEncoderModel,
  EncoderRetrieverModel,
  EvidenceVerifierModel,
  RetrieverModel,
  TableRetrieverModel,
  VerifierModel,
} from "../../src/domain/model.js";
import { SluiceError, toSluiceError } from "../../src/errors/error.js";
import { type GraphFacts, inspectGraph } from "../../src/inference/inspect-graph.js";
import type { ModelFiles } from "../../src/retrieval/model-files.js";
import { checkAgainstExport, checkLabelSet } from "./check-export.js";
import { checkExpected, type Expectations } from "./check-expected.js";
import { checkFiles } from "./check-files.js";
import { checkGraph, portText } from "./check-graph.js";
import { checkRuns, type ModelRuntime } from "./check-runs.js";
import { graphFiles } from "./external-data.js";
import { failed, type ModelCheck, ok } from "./model-check.js";
import { readExport } from "./model-export.js";
import { modelDescription } from "./parse-model.js";

export interface CheckedModel {
  readonly described: RetrieverModel | VerifierModel;
  readonly checks: readonly ModelCheck[];
}

/**
 * Compares a model's description with its files, its export and what the runtime finds, and an export with what its own
 * library makes of given texts. A failed comparison is a value.
 * @throws {SluiceError} MODEL_INVALID  the directory has no description, or it breaks a rule; then there is nothing to
 *   compare
 * @throws {SluiceError} USAGE  expectations of a model that is no export; SYNTAX_INVALID, SCHEMA_INVALID
 */
export async function checkModel(
  files: ModelFiles,
  runtime: ModelRuntime,
  expectations: Expectations | null = null,
): Promise<CheckedModel> {
  const described = modelDescription(files);
  const checks = await checksOf(files, described, runtime);
  if (expectations === null) return { described, checks };
  if (described.kind !== "encoder" && described.kind !== "cross_encoder") {
    throw new SluiceError(
      "USAGE",
      `a model of the kind ${described.kind} is no export, so nothing can be expected of it`,
    );
  }
  if (checks.some(({ status }) => status === "failed")) return { described, checks };
  return { described, checks: [...checks, ...(await checkExpected(files, described, expectations, runtime))] };
}

async function checksOf(
  files: ModelFiles,
  described: CheckedModel["described"],
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  switch (described.kind) {
    case "lexical":
      return [ok("description", "lexical: requires no other file")];
    case "table":
      return checkTable(files, described);
    case "evidence":
      return checkEvidence(files, described);
    case "encoder":
    case "cross_encoder":
      return checkTransformer(files, described, runtime);
  }
}

/** The vectors need no run here: loading the retriever checks them against the vocabulary. */
function checkTable(files: ModelFiles, { graph, vocabulary }: TableRetrieverModel): readonly ModelCheck[] {
  const missing = [graph, vocabulary].filter((path) => !files.has(path));
  const expected = `${graph} and ${vocabulary}`;
  return [missing.length === 0 ? ok("files", expected) : failed("files", `no ${missing.join(", ")}`, expected)];
}

async function checkEvidence(files: ModelFiles, described: EvidenceVerifierModel): Promise<readonly ModelCheck[]> {
  const facts = await loadGraph(files, described.graph);
  if ("status" in facts) return [facts];
  const [input] = facts.inputs;
  const found = input === undefined ? "no input" : portText(input);
  const width = described.features.length;
  const fits = facts.inputs.length === 1 && input?.shape.at(-1) === width;
  return [
    ok("graph", described.graph),
    checkLabelSet(described.labelOrder),
    fits ? ok("inputs", found) : failed("inputs", found, `one matrix with ${width} columns`),
  ];
}

async function checkTransformer(
  files: ModelFiles,
  described: EncoderRetrieverModel | CrossEncoderModel,
  runtime: ModelRuntime,
): Promise<readonly ModelCheck[]> {
  const present = checkFiles(files, described);
  if (present.some(({ status }) => status === "failed")) return present;
  const facts = await loadGraph(files, described.graph);
  if ("status" in facts) return [...present, facts];
  const columns = described.kind === "encoder" ? described.dimensions : described.labelOrder.length;
  const graph = checkGraph(facts, { output: described.output, columns });
  const output = facts.outputs.find(({ name }) => name === described.output);
  const runnable = graph.every(({ status }) => status !== "failed");
  return [
    ...present,
    ok("graph", described.graph),
    ...graph,
    ...checkAgainstExport(readExport(files), described, output),
    ...(runnable ? await checkRuns(files, described, runtime) : []),
  ];
}

/** The graph's metadata, or the failed check when ONNX Runtime refuses it. */
async function loadGraph(files: ModelFiles, path: string): Promise<GraphFacts | ModelCheck> {
  try {
    return await inspectGraph(graphFiles(files, path));
  } catch (thrown) {
    return failed("graph", `${path}: ${toSluiceError(thrown).message}`, "a graph that ONNX Runtime loads");
  }
}
