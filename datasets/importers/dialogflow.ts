import { type Static, Type } from "typebox";
import { sha256Hex } from "../../src/digest/sha256.js";
import { checkSchema, matchesSchema } from "../../src/domain/check-schema.js";
import { SluiceError } from "../../src/errors/error.js";
import { BadRows } from "../bad-rows.js";
import { decodeUtf8 } from "../decode-utf8.js";
import { kindOf } from "../kind-of.js";
import { assembleBenchmark, type BenchmarkOptions, type BenchmarkText } from "./benchmark.js";
import type { ImportedDataset, SourceFile } from "./imported-dataset.js";
import { isUsableText, unusableText } from "./usable-text.js";

/** One intent of an agent: `intents/<name>.json`, and the phrases of one language when it has some. */
export interface DialogflowIntent {
  readonly intent: SourceFile;
  /** `intents/<name>_usersays_<language>.json` */
  readonly phrases: SourceFile | null;
}

const IntentSchema = Type.Object({
  name: Type.String({ minLength: 1 }),
  fallbackIntent: Type.Optional(Type.Boolean()),
});
const PhraseSchema = Type.Object({ data: Type.Array(Type.Object({ text: Type.String() })) });

/**
 * The training phrases of an exported and unpacked Dialogflow ES agent. The parts of an annotated phrase are joined to
 * its plain text; phrases of fallback intents are out of scope. Parameters and responses are passed over.
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID with file and position; DATASET_EMPTY
 */
export function importDialogflow(
  intents: readonly DialogflowIntent[],
  options: BenchmarkOptions = {},
): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const texts = intents.flatMap(({ intent, phrases }, index) => {
    const { name, fallbackIntent = false } = checkIntent(intent);
    return phrases === null ? [] : readPhrases(phrases, { name, fallbackIntent, index }, bad);
  });
  const badRows = bad.settle();
  if (texts.length === 0) {
    throw new SluiceError("DATASET_EMPTY", "no intent of the agent has training phrases in this language", {
      hint: "Choose the language of the agent: sluice dataset import DIR --format dialogflow --language LANGUAGE",
    });
  }
  const files = intents.flatMap(({ intent, phrases }) => (phrases === null ? [intent] : [intent, phrases]));
  const sources = files.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null }));
  return { ...assembleBenchmark("dialogflow", texts, options), sources, badRows };
}

function parseJson({ file, bytes }: SourceFile): unknown {
  const content = decodeUtf8(bytes, file);
  try {
    return JSON.parse(content);
  } catch {
    throw new SluiceError("SYNTAX_INVALID", `${file}: not a JSON document`, { hint: "Export the agent again." });
  }
}

const checkIntent = (source: SourceFile): Static<typeof IntentSchema> =>
  checkSchema(IntentSchema, parseJson(source), source.file);

interface IntentPlace {
  readonly name: string;
  readonly fallbackIntent: boolean;
  readonly index: number;
}

function readPhrases(source: SourceFile, intent: IntentPlace, bad: BadRows): readonly BenchmarkText[] {
  const { file } = source;
  const phrases = parseJson(source);
  if (!Array.isArray(phrases)) {
    throw new SluiceError("SCHEMA_INVALID", `${file}: found ${kindOf(phrases)}, expected a list of phrases`);
  }
  return phrases.flatMap((phrase: unknown, position): readonly BenchmarkText[] => {
    const refuse = (column: string, rule: string): readonly [] => {
      bad.add({ file, at: `phrase ${position}`, column, rule, code: "SCHEMA_INVALID" });
      return [];
    };
    if (!matchesSchema(PhraseSchema, phrase)) return refuse("data", "expected a list of parts, each with a text");
    const text = phrase.data
      .map((part) => part.text)
      .join("")
      .trim();
    if (!isUsableText(text)) return refuse("data", unusableText(text));
    return [
      {
        id: `dialogflow-${intent.index}-${position}`,
        text,
        intent: intent.fallbackIntent ? null : intent.name,
        part: "train",
        fields: { slices: { intent: intent.name } },
      },
    ];
  });
}
