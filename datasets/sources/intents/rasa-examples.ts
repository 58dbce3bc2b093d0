import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from "yaml";
import { SluiceError } from "../../../src/errors/error.js";

/** One example of a Rasa file, its entity marks replaced by their plain text; the text may be empty. */
export interface RasaExample {
  /** 1-based. */
  readonly line: number;
  readonly intent: string;
  readonly text: string;
}

/** Text of an example without its entity marks: `[Rome](city)`, `[Rome]{"entity": "city"}` and `[Rome][{...}]`. */
export function withoutEntities(example: string): string {
  return example.replace(/\[([^[\]]*)\](?:\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\])/g, "$1");
}

/** Content of `nlu:` in a Rasa 2 or 3 file. */
export interface RasaTraining {
  /** In file order. */
  readonly examples: readonly RasaExample[];
  /** Kind of each item that names no intent: "synonym", "lookup", "regex". */
  readonly others: readonly string[];
}

/** Reads a Rasa 2 or 3 file. @throws {SluiceError} SYNTAX_INVALID with the line */
export function readRasaTraining(file: string, content: string): RasaTraining {
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
  if (!isSeq(items)) return { examples: [], others: [] };
  const lineOf = (node: Node): number => lines.linePos(node.range?.[0] ?? 0).line;
  const examples = items.items.flatMap((item) => {
    if (!isMap(item)) return [];
    const intent = item.get("intent");
    if (typeof intent !== "string" || intent === "") return [];
    return examplesOf(item, lineOf).map(({ line, example }) => ({
      line,
      intent,
      text: withoutEntities(example).trim(),
    }));
  });
  const others = items.items.flatMap((item) => {
    if (!isMap(item) || typeof item.get("intent") === "string") return [];
    return item.items.slice(0, 1).map(({ key }) => (isScalar(key) ? String(key.value) : "unnamed"));
  });
  return { examples, others };
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
