import { type Static, Type, type TSchema } from "../../src/base/typebox.js";
import { SluiceError } from "../../src/base/error.js";
import { type ModelFiles, modelFile } from "../../src/router/retrieval/model-files.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { posix } from "node:path";
import { externalDataNames } from "../../src/inference/external-weights.js";
import type { GraphFiles } from "../../src/inference/protocol.js";

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** The fields of the transformers library's `config.json` that are read here. */
const ConfigSchema = Type.Object({
  model_type: orNull(Type.String()),
  architectures: orNull(Type.Array(Type.String())),
  num_labels: orNull(Type.Integer({ minimum: 1 })),
  id2label: orNull(Type.Record(Type.String(), Type.String())),
  label2id: orNull(Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]))),
  hidden_size: orNull(Type.Integer({ minimum: 1 })),
  max_position_embeddings: orNull(Type.Integer()),
  pad_token_id: orNull(Type.Integer()),
});

const TokenizerConfigSchema = Type.Object({ model_max_length: orNull(Type.Number()) });

const TokenizerSchema = Type.Object({
  truncation: orNull(Type.Object({ max_length: Type.Integer({ minimum: 1 }) })),
});

const SentenceBertSchema = Type.Object({ max_seq_length: orNull(Type.Integer()) });

const ModulesSchema = Type.Array(Type.Object({ path: Type.String(), type: Type.String() }));

const PromptsSchema = Type.Object({
  prompts: orNull(Type.Record(Type.String(), Type.String())),
  default_prompt_name: orNull(Type.String()),
  similarity_fn_name: orNull(Type.String()),
});

/** `config.json` of a pooling module: one boolean per mode; in newer exports, the name of the mode. */
const PoolingSchema = Type.Record(Type.String(), Type.Unknown());

/** Names of the files of an export that are read here. All except the tokenizer are optional. */
export const exportFiles = {
  config: "config.json",
  tokenizer: "tokenizer.json",
  tokenizerConfig: "tokenizer_config.json",
  specialTokens: "special_tokens_map.json",
  sentenceBert: "sentence_bert_config.json",
  modules: "modules.json",
  prompts: "config_sentence_transformers.json",
} as const;

/** The modules that sentence-transformers runs after the transformer, in order. */
export interface ExportModule {
  /** Last part of the class name, e.g. `Pooling`. */
  readonly name: string;
  /** Folder of the module, "" for the model directory itself. */
  readonly path: string;
}

/** Parsed files of a Hugging Face export; undefined: the file is missing. */
export interface ModelExport {
  readonly files: ModelFiles;
  readonly config: Static<typeof ConfigSchema> | undefined;
  readonly tokenizer: Static<typeof TokenizerSchema>;
  readonly tokenizerConfig: Static<typeof TokenizerConfigSchema> | undefined;
  readonly sentenceBert: Static<typeof SentenceBertSchema> | undefined;
  readonly modules: readonly ExportModule[] | undefined;
  readonly pooling: PoolingFile | undefined;
  readonly prompts: Static<typeof PromptsSchema> | undefined;
}

/** The settings of the pooling module, and the file that contains them. */
export interface PoolingFile {
  readonly path: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Reads the JSON files of an export. @throws {SluiceError} MODEL_INVALID no `tokenizer.json`, or a malformed file */
export function readExport(files: ModelFiles): ModelExport {
  const tokenizer = readExportFile(files, exportFiles.tokenizer, TokenizerSchema);
  if (tokenizer === undefined) {
    throw new SluiceError("MODEL_INVALID", `no ${exportFiles.tokenizer} among ${files.size} files of the folder`, {
      hint: "Use the folder of a Hugging Face export; save a fast tokenizer with tokenizer.save_pretrained(DIR).",
    });
  }
  const modules = readExportFile(files, exportFiles.modules, ModulesSchema)?.map(({ path, type }) => ({
    path,
    name: type.split(".").at(-1) ?? type,
  }));
  return {
    files,
    tokenizer,
    modules,
    config: readExportFile(files, exportFiles.config, ConfigSchema),
    tokenizerConfig: readExportFile(files, exportFiles.tokenizerConfig, TokenizerConfigSchema),
    sentenceBert: readExportFile(files, exportFiles.sentenceBert, SentenceBertSchema),
    pooling: readPooling(files, modules),
    prompts: readExportFile(files, exportFiles.prompts, PromptsSchema),
  };
}

function readPooling(files: ModelFiles, modules: readonly ExportModule[] | undefined): PoolingFile | undefined {
  const folder = modules?.find(({ name }) => name === "Pooling")?.path ?? "1_Pooling";
  const path = `${folder}/config.json`;
  const settings = readExportFile(files, path, PoolingSchema);
  return settings === undefined ? undefined : { path, settings };
}

/**
 * Reads a JSON file of an export; undefined if it does not exist. Fields that are not in the schema are ignored.
 * @throws {SluiceError} MODEL_INVALID  the file is not JSON, or a field of the schema has the wrong type
 */
function readExportFile<S extends TSchema>(files: ModelFiles, path: string, schema: S): Static<S> | undefined {
  const bytes = files.get(path);
  if (bytes === undefined) return undefined;
  return checkSchema(schema, parseJson(bytes, path), path, "MODEL_INVALID");
}

function parseJson(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `${path} is not well-formed JSON`, {
      hint: "Export or download the model again.",
      cause,
    });
  }
}

/**
 * Reads a graph of a model directory with the weight files that it refers to.
 * @throws {SluiceError} MODEL_INVALID  a file is missing or outside the directory
 */
export function graphFiles(files: ModelFiles, path: string): GraphFiles {
  const bytes = modelFile(files, path, "model");
  const externalData = externalDataNames(bytes).map((name) => {
    const data = files.get(externalDataPath(path, name));
    if (data !== undefined) return { path: name, bytes: data };
    throw new SluiceError("MODEL_INVALID", `${path} stores weights in ${JSON.stringify(name)}, which is missing`, {
      hint: "Put the file next to the graph, with the name that the graph uses.",
    });
  });
  return { bytes, externalData };
}

/** Paths of a graph and its weight files, as in a description. @throws {SluiceError} MODEL_INVALID */
export function graphPaths(
  files: ModelFiles,
  graph: string,
): { readonly graph: string; readonly external_data: string[] } {
  const names = externalDataNames(modelFile(files, graph, "model"));
  return { graph, external_data: names.map((name) => externalDataPath(graph, name)) };
}

/** Path of a weight file in the model directory. The graph refers to it relative to the graph's folder. */
export function externalDataPath(graph: string, name: string): string {
  return posix.join(posix.dirname(graph), name);
}
