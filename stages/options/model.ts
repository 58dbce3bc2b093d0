import { flag, objectKind, optional, preset, repeated, required } from "../../src/base/options.js";
import { activations, poolings } from "../../src/documents/choices.js";
import { datasetFormats } from "../choices.js";
import { choice, count, exactText, folderReference, id, list, path, reference, seed, text } from "./kinds.js";

/** `model describe` */
export const describeModelOptions = {
  folder: required(path, "folder with tokenizer.json and an ONNX graph"),
  role: optional(choice("retriever", "verifier"), "role of the model; by default read from the export"),
  graph: optional(path, "graph in the folder; by default model.onnx, else fp16, else int8"),
  graphOutput: optional(text, "graph output to read"),
  pooling: optional(choice(...poolings), "pooling of token vectors, if the export does not specify it"),
  normalise: optional(choice("true", "false"), "scale vectors to length 1, if the export does not specify it"),
  queryPrefix: optional(exactText, "exact text to prepend to every request"),
  documentPrefix: optional(exactText, "exact text to prepend to every contract"),
  labelOrder: optional(list, "output columns of a verifier, if the export does not name them"),
  activation: optional(choice(...activations), "what a verifier's graph applies to its scores; by default measured"),
  maxTokens: optional(count, "maximum tokens per row; at most the limit of the export"),
  name: optional(text, "version of the model; by default from folder and graph"),
  capability: optional(choice("development", "production"), "development or production; by default development"),
  write: flag("write router_model.json into the folder"),
  force: flag("replace a router_model.json with different content"),
} as const;

/** One of the given words, a colon and a path. */
const wordAndFile = <const W extends string>(placeholder: string, words: readonly W[]) =>
  objectKind(placeholder, `${placeholder}, where ${placeholder.split(":")[0]} is one of ${words.join(", ")}`, (raw) => {
    const [, named, file] = /^([a-z0-9]+):(.+)$/s.exec(raw) ?? [];
    const found = words.find((known) => known === named);
    return found === undefined || file === undefined ? undefined : { kind: found, path: file };
  });

/** `model fit` */
export const fitModelOptions = {
  retriever: optional(folderReference, "retriever to fit the verifier to; by default the shipped one"),
  data: repeated(
    wordAndFile("FORMAT:PATH", datasetFormats),
    "labelled requests; of published parts, only train is read",
  ),
  catalog: repeated(reference, "catalog of the labels of your data"),
  split: optional(id, "split whose FIT fold is also fitted on"),
  unrelated: optional(path, "texts that belong to no workflow, one per line, plain or gzip"),
  out: required(path, "output folder for retriever/ and verifier/"),
  catalogs: preset(count, "100", "number of catalogs with, and as many without examples, to draw from the data"),
  seed: preset(seed, "1", "seed of all random draws"),
} as const;
