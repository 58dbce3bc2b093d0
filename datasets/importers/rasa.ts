import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from "yaml";
import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import { BadRows } from "../bad-rows.js";
import { decodeUtf8 } from "../decode-utf8.js";
import { assembleBenchmark, type BenchmarkOptions, type BenchmarkText } from "./benchmark.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";
import { isUsableText, unusableText } from "./usable-text.js";

export interface RasaOptions extends BenchmarkOptions {
  /** Intents whose examples are out of scope. Default: `out_of_scope` and `nlu_fallback`. */
  readonly outOfScopeValues?: readonly string[];
}

const fallbackIntents = ["out_of_scope", "nlu_fallback"];

/**
 * Training files of Rasa 2 and 3 (`nlu:` with `intent` and `examples`). Marked entities become their plain text, and
 * a retrieval intent `faq/opening_hours` is the workflow `faq.opening_hours`. Synonyms, lookups and regexes are passed
 * over. Every example belongs to `train`, so examples of the catalog are drawn from all of them.
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with file and line; DATASET_EMPTY
 */
export function importRasa(files: readonly SourceFile[], options: RasaOptions = {}): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const outOfScope = new Set(options.outOfScopeValues ?? fallbackIntents);
  const texts = files.flatMap((file, index) =>
    readFile(file, bad).map(
      ({ line, intent, text }): BenchmarkText => ({
        id: `rasa-${files.length === 1 ? "" : `${index}-`}${line}`,
        text,
        intent: outOfScope.has(intent) ? null : intent,
        part: "train",
        fields: { slices: { intent } },
      }),
    ),
  );
  const badRows = bad.settle();
  if (texts.length === 0) throw new SluiceError("DATASET_EMPTY", "no file has an intent with examples under nlu:");
  const sources = files.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null }));
  return { ...assembleBenchmark("rasa", texts, options), sources, badRows };
}

/** Text of an example without its entity marks: `[Rome](city)`, `[Rome]{"entity": "city"}` and `[Rome][{...}]`. */
export function withoutEntities(example: string): string {
  return example.replace(/\[([^[\]]*)\](?:\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\])/g, "$1");
}

/** One example of a Rasa file, its entity marks replaced by their plain text; the text may be empty. */
export interface RasaExample {
  /** 1-based. */
  readonly line: number;
  readonly intent: string;
  readonly text: string;
}

function readFile(source: SourceFile, bad: BadRows): readonly RasaExample[] {
  return rasaExamples(source.file, decodeUtf8(source.bytes, source.file)).filter(({ line, text }) => {
    if (isUsableText(text)) return true;
    const [at, rule] = [`line ${line}`, unusableText(text)];
    bad.add({ file: source.file, at, column: "examples", rule, code: "SCHEMA_INVALID" });
    return false;
  });
}

/** Every example below `nlu:` of a Rasa 2 or 3 file, in file order. @throws {SluiceError} SYNTAX_INVALID with the line */
export function rasaExamples(file: string, content: string): readonly RasaExample[] {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    throw new SluiceError("SYNTAX_INVALID", `${file}: line ${line}: not well-formed YAML (${error.code})`, {
      hint: "Correct this line and run the command again.",
    });
  }
  const items = isMap(document.contents) ? document.contents.get("nlu", true) : undefined;
  if (!isSeq(items)) return [];
  const lineOf = (node: Node): number => lines.linePos(node.range?.[0] ?? 0).line;
  return items.items.flatMap((item) => {
    if (!isMap(item)) return [];
    const intent = item.get("intent");
    if (typeof intent !== "string" || intent === "") return [];
    return examplesOf(item, lineOf).map(({ line, example }) => ({
      line,
      intent,
      text: withoutEntities(example).trim(),
    }));
  });
}

interface MarkedExample {
  readonly line: number;
  readonly example: string;
}

/** Examples are lines `- text` of a block, or a list of texts or of maps with `text`. */
function examplesOf(item: YAMLMap, lineOf: (node: Node) => number): readonly MarkedExample[] {
  const examples = item.get("examples", true);
  if (isScalar(examples) && typeof examples.value === "string") {
    const first = lineOf(examples) + (examples.type === "BLOCK_LITERAL" ? 1 : 0);
    return examples.value.split("\n").flatMap((content, index) => {
      const [, example] = /^\s*-\s?(.*)$/.exec(content) ?? [];
      return example === undefined ? [] : [{ line: first + index, example }];
    });
  }
  if (!isSeq(examples)) return [];
  return (examples as { readonly items: readonly Node[] }).items.map((node) => {
    const value = isMap(node) ? node.get("text") : isScalar(node) ? node.value : null;
    return { line: lineOf(node), example: typeof value === "string" ? value.replace(/^-\s/, "") : "" };
  });
}
