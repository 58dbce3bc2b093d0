import type { CommandShape } from "../command-shape.js";
import { poolings } from "../../src/inference/protocol.js";
import { flag, optional, preset, repeated, required } from "../options.js";
import { choice, count, exactText, id, kind, list, path, probability, reference, seed, text } from "../parsers.js";
import { corpusKinds, pairKinds } from "../../workbench/fit/words/fit-data.js";
import type { TextArgument } from "../../workbench/learning/word-models/open-data.js";
import { datasetFormats } from "../../workbench/choices.js";

export const modelDescribeShape = {
  name: ["model", "describe"],
  describe: "Propose router_model.json for a Hugging Face export, and measure the model",
  positionals: { folder: required(path, "folder with tokenizer.json and an ONNX graph") },
  options: {
    role: optional(choice("retriever", "verifier"), "what the model is for; from the export when absent"),
    graph: optional(path, "graph inside of the folder; model.onnx, then fp16, then int8 when absent"),
    "graph-output": optional(text, "output of the graph that is read"),
    pooling: optional(choice(...poolings), "how token vectors become one vector, where the export is silent"),
    normalise: optional(choice("true", "false"), "scale vectors to length 1, where the export is silent"),
    "query-prefix": optional(exactText, "put before every request, byte for byte"),
    "document-prefix": optional(exactText, "put before every contract, byte for byte"),
    "description-weight": optional(probability, "share of the description in a score; 0.3 when absent"),
    "label-order": optional(list, "columns of a verifier, where the export does not name them"),
    "max-tokens": optional(count, "tokens of one row; can only lower the limit of the export"),
    name: optional(text, "version of the model; from folder and graph when absent"),
    capability: optional(choice("development", "production"), "development when absent"),
    write: flag("write router_model.json into the folder"),
    force: flag("replace a router_model.json with other content"),
  },
  examples: [
    ["sluice model describe my-encoder", "shows the proposal; every value with its source"],
    ["sluice model describe my-encoder --pooling mean --write", "settles a value, and writes the file"],
  ],
} satisfies CommandShape;

export const modelCheckShape = {
  name: ["model", "check"],
  describe: "Compare router_model.json with the files of the model and with what runs show",
  positionals: { folder: required(path, "model directory with router_model.json") },
  options: {},
  examples: [
    ["sluice model check my-encoder", "every comparison, with what was found and what was expected"],
    ["sluice model check my-encoder --json", "the same for a script; exit code 3 when one fails"],
  ],
} satisfies CommandShape;

/** A word of a closed list, a colon and a path. */
const wordAndFile = <const W extends string>(placeholder: string, words: readonly W[]) =>
  kind(placeholder, `${placeholder}, where ${placeholder.split(":")[0]} is one of ${words.join(", ")}`, (raw) => {
    const [, named, file] = /^([a-z0-9]+):(.+)$/s.exec(raw) ?? [];
    const found = words.find((known) => known === named);
    return found === undefined || file === undefined ? undefined : { kind: found, path: file };
  });

/** `KIND:FILE[:WEIGHT]`. */
const openText = kind(
  "KIND:FILE[:WEIGHT]",
  `KIND:FILE or KIND:FILE:WEIGHT, where KIND is one of ${corpusKinds.join(", ")}`,
  (raw): TextArgument | undefined => {
    const [, word, file, weight = "1"] = /^([a-z]+):(.+?)(?::(\d+(?:\.\d+)?))?$/s.exec(raw) ?? [];
    const found = corpusKinds.find((known) => known === word);
    if (found === undefined || file === undefined || Number(weight) === 0) return undefined;
    return { kind: found, path: file, weight: Number(weight) };
  },
);

export const modelFitShape = {
  name: ["model", "fit"],
  describe: "Learn word vectors and a verifier from labelled requests; goes on where an interrupted fit stood",
  positionals: {},
  options: {
    data: repeated(
      wordAndFile("FORMAT:PATH", datasetFormats),
      "labelled requests; rows of a published part other than train are left out",
    ),
    catalog: repeated(reference, "catalog of the labels of own data; published sets bring theirs"),
    split: optional(id, "split in the history whose FIT fold is read too; its TUNE fold is measured"),
    lexicon: optional(path, "synsets of Open English WordNet, JSONL, also compressed by gzip"),
    "open-text": repeated(openText, "open text, a paragraph a line, gzip or not; kinds dialogue and documents"),
    pairs: repeated(
      wordAndFile("KIND:FILE", pairKinds),
      "texts that belong together, two columns; for kind intent the first names a group",
    ),
    without: repeated(path, "texts, one a line, that nothing may be learned from, nor from texts one word away"),
    licences: optional(path, "tab-separated list with the columns licence and sha256_of_gz, for the card"),
    out: required(path, "folder for retriever/, verifier/ and the model card"),
    steps: preset(count, "1200", "steps of the contrastive fit; there are three fits"),
    seed: preset(seed, "1", "seed of every draw"),
  },
  examples: [
    ["sluice model fit --data jsonl:requests.jsonl --catalog catalog.yaml --out my-models", "own requests"],
    [
      "sluice model fit --split 3f9c01ab --lexicon synsets.jsonl.gz --open-text documents:handbook.txt.gz:0.3 --out my-models",
      "the FIT fold, WordNet and open text",
    ],
  ],
} satisfies CommandShape;

export const modelFitLexicalShape = {
  name: ["model", "fit-lexical"],
  describe: "Fit the embedded retriever and verifier on the FIT fold; no other fold is read",
  positionals: {},
  options: {
    split: optional(id, "split whose FIT fold is used; the latest when absent"),
    seed: preset(seed, "1", "seed of the verifier's starting weights and order"),
    out: optional(path, "folder for retriever/ and verifier/; models/ of the workspace when absent"),
  },
  examples: [
    ["sluice model fit-lexical", "the latest split"],
    ["sluice model fit-lexical --split 3f9c01ab --seed 7 --out models", "another split and folder"],
  ],
} satisfies CommandShape;
