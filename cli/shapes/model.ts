import type { CommandShape } from "../command-shape.js";
import { poolings } from "../../src/inference/protocol.js";
import { flag, optional, preset, repeated, required } from "../options.js";
import {
  choice,
  count,
  exactText,
  id,
  list,
  path,
  probability,
  reference,
  seed,
  text,
  type ValueKind,
} from "../parsers.js";
import { corpusKinds, pairKinds } from "../../workbench/fit/words/fit-data.js";
import { SluiceError } from "../../src/errors/error.js";
import type { PairsArgument, TextArgument } from "../../workbench/learning/word-models/open-data.js";
import { type DatasetFormat, datasetFormats } from "../../workbench/choices.js";

export const modelDescribeShape = {
  name: ["model", "describe"],
  describe: "Propose router_model.json for a Hugging Face export, and measure the model",
  positionals: { folder: required(path, "folder with tokenizer.json and an ONNX graph") },
  options: {
    role: optional(choice("retriever", "verifier"), "role of the model; by default read from the export"),
    graph: optional(path, "graph in the folder; by default model.onnx, else fp16, else int8"),
    "graph-output": optional(text, "graph output to read"),
    pooling: optional(choice(...poolings), "pooling of token vectors, if the export does not specify it"),
    normalise: optional(choice("true", "false"), "scale vectors to length 1, if the export does not specify it"),
    "query-prefix": optional(exactText, "exact text to prepend to every request"),
    "document-prefix": optional(exactText, "exact text to prepend to every contract"),
    "description-weight": optional(probability, "weight of the description in a score; by default 0.3"),
    "label-order": optional(list, "output columns of a verifier, if the export does not name them"),
    "max-tokens": optional(count, "maximum tokens per row; at most the limit of the export"),
    name: optional(text, "version of the model; by default from folder and graph"),
    capability: optional(choice("development", "production"), "development or production; by default development"),
    write: flag("write router_model.json into the folder"),
    force: flag("replace a router_model.json with different content"),
  },
  examples: [
    ["sluice model describe my-encoder", "shows the proposal, with the source of each value"],
    ["sluice model describe my-encoder --pooling mean --write", "sets a value and writes the file"],
  ],
} satisfies CommandShape;

export const modelCheckShape = {
  name: ["model", "check"],
  describe: "Compare router_model.json with the model's files and its measured behaviour",
  positionals: { folder: required(path, "model folder with router_model.json") },
  options: {},
  examples: [
    ["sluice model check my-encoder", "every comparison, found and expected"],
    ["sluice model check my-encoder --json", "the same as JSON; exit code 3 if one fails"],
  ],
} satisfies CommandShape;

interface DataArgument {
  readonly format: DatasetFormat;
  readonly path: string;
}

/** `KIND:FILE`, with the kinds of open text and a weight after it. */
const openText: ValueKind<TextArgument> = {
  placeholder: "KIND:FILE[:WEIGHT]",
  parse: (raw, name) => {
    const [, word, file, weight = "1"] = /^([a-z]+):(.+?)(?::(\d+(?:\.\d+)?))?$/s.exec(raw) ?? [];
    const found = corpusKinds.find((known) => known === word);
    if (found !== undefined && file !== undefined && Number(weight) > 0) {
      return { kind: found, path: file, weight: Number(weight) };
    }
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected KIND:FILE or KIND:FILE:WEIGHT`, {
      hint: `Kinds: ${corpusKinds.join(", ")}. For example ${name} documents:handbook.txt.gz:0.3`,
    });
  },
};

/** `KIND:FILE`, with the kinds of texts that belong together. */
const textPairs: ValueKind<PairsArgument> = {
  placeholder: "KIND:FILE",
  parse: (raw, name) => {
    const [, word, file] = /^([a-z]+):(.+)$/s.exec(raw) ?? [];
    const found = pairKinds.find((known) => known === word);
    if (found !== undefined && file !== undefined) return { kind: found, path: file };
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected KIND:FILE`, {
      hint: `Kinds: ${pairKinds.join(", ")}. For example ${name} title:titles.tsv.gz`,
    });
  },
};

/** `FORMAT:PATH`, with the formats of `dataset import`. */
const data: ValueKind<DataArgument> = {
  placeholder: "FORMAT:PATH",
  parse: (raw, name) => {
    const [, word, file] = /^([a-z0-9]+):(.+)$/s.exec(raw) ?? [];
    const format = datasetFormats.find((known) => known === word);
    if (format !== undefined && file !== undefined) return { format, path: file };
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected FORMAT:PATH`, {
      hint: `Formats: ${datasetFormats.join(", ")}. For example ${name} jsonl:requests.jsonl`,
    });
  },
};

export const modelFitShape = {
  name: ["model", "fit"],
  describe: "Fit word vectors and a verifier to labelled requests; resumes an interrupted fit",
  positionals: {},
  options: {
    data: repeated(data, "labelled requests; of published parts, only train is read"),
    catalog: repeated(reference, "catalog of the labels of your data; published datasets include theirs"),
    split: optional(id, "split whose FIT fold is also fitted on; its TUNE fold is measured"),
    lexicon: optional(path, "synsets of Open English WordNet, JSONL or gzip"),
    "open-text": repeated(openText, "open text, one paragraph per line, plain or gzip; kinds: dialogue, documents"),
    pairs: repeated(textPairs, "pairs of related texts in two columns; for kind intent, the first names a group"),
    without: repeated(path, "texts to exclude, one per line, with all texts that differ by one word"),
    licences: optional(path, "tab-separated list for the model card, with columns licence and sha256_of_gz"),
    out: required(path, "output folder for retriever/, verifier/ and the model card"),
    steps: preset(count, "1200", "steps of each of the three contrastive fits"),
    seed: preset(seed, "1", "seed of all random draws"),
  },
  examples: [
    ["sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out my-models", "your own requests"],
    [
      "sluice model fit --split 3f9c01ab --lexicon synsets.jsonl.gz --open-text documents:handbook.txt.gz:0.3 --out my-models",
      "the FIT fold, WordNet and open text",
    ],
  ],
} satisfies CommandShape;

export const modelFitLexicalShape = {
  name: ["model", "fit-lexical"],
  describe: "Fit the embedded retriever and verifier on the FIT fold only",
  positionals: {},
  options: {
    split: optional(id, "split with the FIT fold; by default the latest"),
    seed: preset(seed, "1", "seed of the verifier's starting weights and order"),
    out: optional(path, "output folder for retriever/ and verifier/; by default models/ of the workspace"),
  },
  examples: [
    ["sluice model fit-lexical", "the latest split"],
    ["sluice model fit-lexical --split 3f9c01ab --seed 7 --out models", "another split and folder"],
  ],
} satisfies CommandShape;
