import type {
  CrossEncoderModel,
  EncoderRetrieverModel,
  LinearVerifierModel,
  RetrieverModel,
  TableRetrieverModel,
  VerifierModel,
} from "../../src/documents/model.js";
import { SluiceError, toSluiceError } from "../../src/base/error.js";
import { type GraphFacts, inspectGraph } from "../../src/inference/inspect-graph.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { checkExpected, type Expectations } from "./check-expected.js";
import { checkGraph, portText, checkRuns, type ModelRuntime } from "./check-runs.js";
import { graphFiles, graphPaths, readExport, exportFiles, type ModelExport } from "./model-export.js";
import { failed, type ModelCheck, ok, note, isMissing } from "./model-check.js";
import { modelDescription } from "../../src/router/verification/parse-model.js";
import { linearGraphs } from "../../src/router/verification/parse-verifier.js";
import { formatMegabytes } from "../../src/documents/number-text.js";
import { deriveMaxTokens } from "./derive-max-tokens.js";
import { proposeModel } from "./propose-model.js";
import { poolings } from "../../src/documents/choices.js";
import { isLabelOrder, labelSets } from "../../src/router/verification/label-mapping.js";

export interface CheckedModel {
  readonly described: RetrieverModel | VerifierModel;
  readonly checks: readonly ModelCheck[];
}

/**
 * Compares a model's description with its files, its export and its graph in the runtime, and an export with the
 * outputs of its own library for given texts. A failed comparison is a result, not an error.
 * @throws {SluiceError} MODEL_INVALID  the directory has no valid description, so there is nothing to compare
 * @throws {SluiceError} USAGE  expected outputs were given for a model that is not an export; DOCUMENT_INVALID,
 *   DOCUMENT_INVALID
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
    throw new SluiceError("USAGE", `a model of kind ${described.kind} is not an export, so --expected cannot be used`);
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
    case "linear":
      return checkLinearVerifier(files, described);
    case "encoder":
    case "cross_encoder":
      return checkTransformer(files, described, runtime);
  }
}

/** Checks a table retriever. Loading it compares the vectors with the vocabulary, so no run is needed. */
function checkTable(files: ModelFiles, { graph, vocabulary }: TableRetrieverModel): readonly ModelCheck[] {
  const missing = [graph, vocabulary].filter((path) => !files.has(path));
  const expected = `${graph} and ${vocabulary}`;
  return [missing.length === 0 ? ok("files", expected) : failed("files", `no ${missing.join(", ")}`, expected)];
}

async function checkLinearVerifier(files: ModelFiles, described: LinearVerifierModel): Promise<readonly ModelCheck[]> {
  const width = described.features.length;
  const checks: ModelCheck[] = [];
  for (const graph of linearGraphs(described)) {
    const facts = await loadGraph(files, graph);
    if ("status" in facts) return [facts];
    const [input] = facts.inputs;
    const found = input === undefined ? "no input" : portText(input);
    const fits = facts.inputs.length === 1 && input?.shape.at(-1) === width;
    checks.push(
      ok("graph", graph),
      fits ? ok("inputs", found) : failed("inputs", found, `one matrix with ${width} columns`),
    );
  }
  return [...checks, checkLabelSet(described.label_order)];
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
  const columns = described.kind === "encoder" ? described.dimensions : described.label_order.length;
  const graph = checkGraph(facts, { output: described.output, columns });
  const runnable = graph.every(({ status }) => status !== "failed");
  return [
    ...present,
    ok("graph", described.graph),
    ...graph,
    ...checkAgainstExport(readExport(files), described, facts),
    ...(runnable ? await checkRuns(files, described, runtime) : []),
  ];
}

/** The graph's metadata, or a failed check if ONNX Runtime refuses the graph. */
async function loadGraph(files: ModelFiles, path: string): Promise<GraphFacts | ModelCheck> {
  try {
    return await inspectGraph(graphFiles(files, path));
  } catch (thrown) {
    return failed("graph", `${path}: ${toSluiceError(thrown).message}`, "a graph that ONNX Runtime loads");
  }
}

interface DescribedFiles {
  readonly graph: string;
  readonly external_data: readonly string[];
  readonly tokenizer: string;
}

/** Checks that the named files exist and that the graph refers to the same weight files, and lists unused files. */
function checkFiles(files: ModelFiles, described: DescribedFiles): readonly ModelCheck[] {
  const named = [described.graph, described.tokenizer, ...described.external_data];
  const absent = named.filter((path) => !files.has(path));
  if (absent.length > 0) return [failed("files", `no ${absent.join(", ")}`, named.join(", "))];
  return [ok("files", named.join(", ")), checkExternalData(files, described), checkUnused(files, named)];
}

function checkExternalData(files: ModelFiles, { graph, external_data: externalData }: DescribedFiles): ModelCheck {
  const inWords = (paths: readonly string[]): string => [...paths].sort().join(", ") || "none";
  const found = inWords(externalData);
  try {
    const expected = inWords(graphPaths(files, graph).external_data);
    if (found === expected) return ok("weight files", found);
    return failed("weight files", found, `${expected}, as the graph says`);
  } catch (thrown) {
    return failed("weight files", toSluiceError(thrown).message, "a graph that names them");
  }
}

function checkUnused(files: ModelFiles, named: readonly string[]): ModelCheck {
  const read = new Set([modelFileName, ...named, ...Object.values(exportFiles)]);
  const { pooling, modules = [] } = readExport(files);
  if (pooling !== undefined) read.add(pooling.path);
  for (const { path } of modules) read.add(`${path}/config.json`);
  const unused = [...files].filter(([path]) => !read.has(path));
  if (unused.length === 0) return ok("other files", "none");
  const size = unused.reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const names = unused.map(([path]) => path).join(", ");
  return note("other files", `${names} (${formatMegabytes(size)})`, "unused, but hashed, stored and shipped as well");
}

/** Names of the compared fields, as a person reads them. */
const compared = {
  pooling: "pooling",
  normalise: "normalise",
  "prefix.query": "query prefix",
  "prefix.document": "document prefix",
  label_order: "label order",
} as const;

/** Describes the export again and compares; what the export does not state, or states as advice, is a note. */
function checkAgainstExport(
  model: ModelExport,
  described: EncoderRetrieverModel | CrossEncoderModel,
  facts: GraphFacts,
): readonly ModelCheck[] {
  const choice = { graph: { value: described.graph, source: "" }, others: [] };
  const wishes = { role: described.role, output: described.output };
  const { fields, missing } = proposeModel({ model, choice, facts, folder: "", wishes });
  const own: Readonly<Record<string, unknown>> = {
    ...described,
    "prefix.query": described.prefix.query,
    "prefix.document": described.prefix.document,
  };
  const checks = Object.entries(compared).flatMap(([field, name]): readonly ModelCheck[] => {
    if (field === "label_order" && described.kind === "cross_encoder" && !isLabelOrder(described.label_order)) {
      return [checkLabelSet(described.label_order)];
    }
    const found = shown(own[field]);
    const open = missing.find((each) => each.field === field);
    if (open !== undefined) return [note(name, found, open.missing)];
    const proposed = fields.find((each) => each.field === field);
    if (proposed === undefined) return [];
    const { value, source } = proposed;
    if (shown(value) === found || source.startsWith("assumed")) return [ok(name, found, source)];
    return [(source.startsWith(exportFiles.prompts) ? note : failed)(name, found, `${shown(value)} of ${source}`)];
  });
  return [...checks, checkMaxTokens(model, described.max_tokens)];
}

/** A value as text; text is quoted so that a space at its end is visible. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join();
  return typeof value === "string" && !isPooling(value) ? JSON.stringify(value) : String(value);
}

const isPooling = (value: string): boolean => poolings.some((pooling) => pooling === value);

/** Checks that these columns are a valid verifier output. */
function checkLabelSet(labelOrder: readonly string[]): ModelCheck {
  const found = labelOrder.join();
  if (isLabelOrder(labelOrder)) return ok("label order", found);
  return failed("label order", found, `one of these in any order: ${labelSets.join("; ")}`);
}

function checkMaxTokens(model: ModelExport, maxTokens: number): ModelCheck {
  const limit = deriveMaxTokens(model, undefined);
  if (isMissing(limit)) return note("token limit", `${maxTokens}`, limit.missing);
  const expected = `at most ${limit.value} of ${limit.source}`;
  return (maxTokens <= limit.value ? ok : failed)("token limit", `${maxTokens}`, expected);
}
