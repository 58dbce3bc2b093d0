import type {
  CrossEncoderModel,
  EncoderRetrieverModel,
  LinearVerifierModel,
  RetrieverModel,
  TableRetrieverModel,
  VerifierModel,
} from "../../src/documents/model.js";
import { SluiceError, toSluiceError } from "../../src/base/error.js";
import { type GraphFacts, inspectGraph, type GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { type ModelFiles, modelFileName } from "../../src/router/retrieval/model-files.js";
import { checkExpected, type Expectations } from "./check-expected.js";
import { checkGraph, portText, checkRuns, type ModelRuntime } from "./check-runs.js";
import { graphFiles, graphPaths, readExport, exportFiles, type ModelExport } from "./model-export.js";
import { failed, type ModelCheck, ok, note, isMissing } from "./model-check.js";
import { modelDescription } from "../../src/router/verification/parse-model.js";
import { formatMegabytes } from "../../src/documents/number-text.js";
import { deriveLabelOrder } from "./derive-label-order.js";
import { deriveMaxTokens } from "./derive-max-tokens.js";
import { deriveNormalise, derivePooling } from "./derive-pooling.js";
import { isLabelOrder, labelSets } from "../../src/router/verification/label-mapping.js";
import { columnsOf } from "./derive-output.js";
import { exportedPrefix } from "./derive-prefix.js";

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
  const facts = await loadGraph(files, described.graph);
  if ("status" in facts) return [facts];
  const [input] = facts.inputs;
  const found = input === undefined ? "no input" : portText(input);
  const width = described.features.length;
  const fits = facts.inputs.length === 1 && input?.shape.at(-1) === width;
  return [
    ok("graph", described.graph),
    checkLabelSet(described.label_order),
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
  const columns = described.kind === "encoder" ? described.dimensions : described.label_order.length;
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

/** The graph's metadata, or a failed check if ONNX Runtime refuses the graph. */
async function loadGraph(files: ModelFiles, path: string): Promise<GraphFacts | ModelCheck> {
  try {
    return await inspectGraph(graphFiles(files, path));
  } catch (thrown) {
    return failed("graph", `${path}: ${toSluiceError(thrown).message}`, "a graph that ONNX Runtime loads");
  }
}

/** The files of a description, as paths in the model directory. */
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

/** Checks a description against the export's own files. `output` is undefined if the graph does not have it. */
function checkAgainstExport(
  model: ModelExport,
  described: EncoderRetrieverModel | CrossEncoderModel,
  output: GraphPortFacts | undefined,
): readonly ModelCheck[] {
  const own =
    described.kind === "encoder"
      ? encoderChecks(model, described, output)
      : [checkLabelOrder(model, described, output)];
  return [...own, checkMaxTokens(model, described.max_tokens), checkSpecialTokens(model)];
}

function encoderChecks(
  model: ModelExport,
  described: EncoderRetrieverModel,
  output: GraphPortFacts | undefined,
): readonly ModelCheck[] {
  return [
    ...(output === undefined ? [] : [checkPooling(model, described, output)]),
    checkNormalise(model, described.normalise),
    checkPrefix(model, "query", described.prefix.query),
    checkPrefix(model, "document", described.prefix.document),
  ];
}

function checkLabelOrder(
  model: ModelExport,
  { label_order: labelOrder }: CrossEncoderModel,
  output: GraphPortFacts | undefined,
): ModelCheck {
  const set = checkLabelSet(labelOrder);
  if (set.status === "failed") return set;
  const { found } = set;
  const columns = output === undefined ? labelOrder.length : columnsOf(output);
  const exported = deriveLabelOrder(model, columns, undefined);
  if (isMissing(exported)) return note("label order", found, exported.missing);
  const expected = exported.value.join();
  return found === expected
    ? ok("label order", found, exported.source)
    : failed("label order", found, `${expected} of ${exported.source}`);
}

/** Checks that these columns are a valid verifier output. */
function checkLabelSet(labelOrder: readonly string[]): ModelCheck {
  const found = labelOrder.join();
  if (isLabelOrder(labelOrder)) return ok("label order", found);
  return failed("label order", found, `one of these in any order: ${labelSets.join("; ")}`);
}

function checkPooling(model: ModelExport, { pooling }: EncoderRetrieverModel, output: GraphPortFacts): ModelCheck {
  const exported = derivePooling(model, output, pooling);
  if (isMissing(exported)) return failed("pooling", pooling, exported.missing.replace("--pooling ", ""));
  return exported.source === "--pooling"
    ? note("pooling", pooling, "the export has no pooling module")
    : ok("pooling", pooling, exported.source);
}

function checkNormalise(model: ModelExport, normalise: boolean): ModelCheck {
  const exported = deriveNormalise(model, undefined);
  if (isMissing(exported)) return note("normalise", `${normalise}`, exported.missing);
  if (exported.value === normalise) return ok("normalise", `${normalise}`, exported.source);
  const contradicted = isMissing(deriveNormalise(model, normalise));
  return (contradicted ? failed : note)("normalise", `${normalise}`, `${exported.value} of ${exported.source}`);
}

function checkMaxTokens(model: ModelExport, maxTokens: number): ModelCheck {
  const limit = deriveMaxTokens(model, undefined);
  if (isMissing(limit)) return note("token limit", `${maxTokens}`, limit.missing);
  const expected = `at most ${limit.value} of ${limit.source}`;
  return maxTokens <= limit.value
    ? ok("token limit", `${maxTokens}`, expected)
    : failed("token limit", `${maxTokens}`, expected);
}

/** Compares prefixes. Both values are quoted so that a trailing space is visible. */
function checkPrefix(model: ModelExport, kind: "query" | "document", prefix: string): ModelCheck {
  const name = `${kind} prefix`;
  const exported = exportedPrefix(model, kind);
  const found = JSON.stringify(prefix);
  if (exported === undefined) return ok(name, found, "the export has no prompt for it");
  const expected = `${JSON.stringify(exported)} of ${exportFiles.prompts}`;
  return exported === prefix ? ok(name, found, expected) : note(name, found, expected);
}

const tokenRoles = ["cls_token", "sep_token", "pad_token"] as const;

function checkSpecialTokens({ tokenizer, tokenizerConfig, specialTokens }: ModelExport): ModelCheck {
  const ids = new Map((tokenizer.added_tokens ?? []).map(({ id, content }) => [content, id]));
  const named = tokenRoles.flatMap((role) => {
    const token = specialTokens?.[role] ?? tokenizerConfig?.[role] ?? undefined;
    return token === undefined ? [] : [{ role, text: typeof token === "string" ? token : token.content }];
  });
  const absent = named.filter(({ text }) => !ids.has(text));
  if (absent.length > 0) {
    const found = absent.map(({ role, text }) => `${role} ${text}`).join(", ");
    return failed("special tokens", `${exportFiles.tokenizer} lacks ${found}`, "every named token");
  }
  const texts = named.map(({ text }) => text).join(", ") || "none named";
  return ok("special tokens", texts);
}
