import { flag, optional, preset, repeated, required, kind } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { activations } from "../../src/documents/choices.js";
import { poolings } from "../../src/documents/choices.js";
import {
  choice,
  count,
  exactText,
  folderReference,
  id,
  list,
  path,
  reference,
  seed,
  text,
} from "../../stages/options/kinds.js";
import { datasetFormats } from "../../stages/choices.js";

export const modelDescribeSpec = {
  name: ["model", "describe"],
  describe: "Propose router_model.json for a Hugging Face export, and measure the model",
  positionals: { folder: required(path, "folder with tokenizer.json and an ONNX graph") },
  options: {
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
  },
  examples: [
    ["sluice model describe my-encoder", "shows the proposal, with the source of each value"],
    ["sluice model describe my-encoder --pooling mean --write", "sets a value and writes the file"],
  ],
} satisfies CommandSpec;

/** One of the given words, a colon and a path. */
const wordAndFile = <const W extends string>(placeholder: string, words: readonly W[]) =>
  kind(placeholder, `${placeholder}, where ${placeholder.split(":")[0]} is one of ${words.join(", ")}`, (raw) => {
    const [, named, file] = /^([a-z0-9]+):(.+)$/s.exec(raw) ?? [];
    const found = words.find((known) => known === named);
    return found === undefined || file === undefined ? undefined : { kind: found, path: file };
  });

export const modelFitSpec = {
  name: ["model", "fit"],
  describe: "Fit a verifier for a retriever to labelled requests",
  positionals: {},
  options: {
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
  },
  examples: [
    ["sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out my-models", "your own requests"],
    ["sluice model fit --retriever my-encoder --split 3f9c01ab --out my-models", "your encoder and the FIT fold"],
  ],
} satisfies CommandSpec;
