import { parse as parseYaml } from "yaml";
import { sha256Hex } from "../../src/digest/sha256.js";
import { SluiceError } from "../../src/errors/error.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import type { MaterialChoices } from "./choices.js";
import { decodeText, isBinary } from "./files/decode-text.js";
import { isZip, unzip } from "./files/unzip.js";
import { isBotium, readBotium } from "./intents/botium.js";
import { isDialogflowCx, readDialogflowCx } from "./intents/dialogflow-cx.js";
import { isDialogflowEs, readDialogflowEs } from "./intents/dialogflow-es.js";
import { isRasa, readRasa } from "./intents/rasa.js";
import type { KindOfMaterial, SourceMaterial } from "./material.js";
import { readStructured } from "./read-structured.js";
import { isParquet, readTable } from "./read-table.js";
import { settleLabels } from "./settle-labels.js";
import { settleRepeats } from "./settle-repeats.js";

/**
 * Reads a source whatever its kind: the kind follows from the bytes and the layout of the files, never from a flag.
 * Every row ends in `texts` or in `leftOut`.
 * @param files  one file, or all files of a folder with their paths inside of it
 * @throws {SluiceError} FORMAT_UNKNOWN  no kind fits; the message lists the kinds
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID, DATASET_EMPTY, TOO_LARGE  as the readers
 */
export async function readMaterial(files: readonly SourceFile[], choices: MaterialChoices): Promise<SourceMaterial> {
  const read = await readKindOfMaterial(files, choices);
  const settled = read.workflows.length > 0 ? { texts: read.texts, decisions: [] } : settleLabels(read.texts);
  const { texts, leftOut } = settleRepeats(settled.texts);
  return {
    kind: read.kind,
    texts,
    workflows: read.workflows,
    leftOut: [...read.leftOut, ...leftOut],
    decisions: [...read.decisions, ...settled.decisions],
    sources: read.used.map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence: null })),
  };
}

/**
 * Like `readMaterial`, without merging repeated texts.
 * @throws {SluiceError} as `readMaterial`
 */
export async function readKindOfMaterial(
  files: readonly SourceFile[],
  choices: MaterialChoices,
): Promise<KindOfMaterial> {
  const read = await readByKind(files, choices);
  const labels = new Set(read.texts.map(({ label }) => label)).size;
  const workflows = Math.max(labels, read.workflows.length);
  if (workflows <= mostWorkflows) return read;
  throw new SluiceError("TOO_LARGE", `found ${workflows} different labels, a catalog has at most ${mostWorkflows}`, {
    hint: "Check that the column of labels is the intended one: sluice init FILE --label-column NAME",
  });
}

/** Workflows of a catalog. */
const mostWorkflows = 50_000;

async function readByKind(files: readonly SourceFile[], choices: MaterialChoices): Promise<KindOfMaterial> {
  const [first] = files;
  if (first === undefined) throw unknownFormat("the folder", "contains no table and no JSON, YAML or text file");
  if (files.length > 1) return readFolder(files, choices);
  if (isBotium(first.file)) return readFolder(files, choices);
  if (isZip(first.bytes)) return readArchive(first, choices);
  if (first.bytes.length === 0) throw unknownFormat(first.file, "it is empty");
  if (!isParquet(first.bytes) && isBinary(first.bytes)) throw unknownFormat(first.file, "it is binary");
  const table = await readTable(first, choices);
  return table ?? readText(first, choices);
}

/** An Excel workbook is a ZIP archive too; any other archive is a folder. */
async function readArchive(source: SourceFile, choices: MaterialChoices): Promise<KindOfMaterial> {
  const inside = unzip(source);
  if (inside.some(({ file }) => file === "xl/workbook.xml")) {
    const table = await readTable(source, choices);
    if (table !== null) return table;
  }
  const read = readFolder(inside, choices);
  return { ...read, used: [source] };
}

function readFolder(files: readonly SourceFile[], choices: MaterialChoices): KindOfMaterial {
  const names = files.map(({ file }) => file);
  if (isDialogflowCx(names)) {
    return { kind: "dialogflow-cx", used: files, ...readDialogflowCx(files, choices.language) };
  }
  if (isDialogflowEs(names)) {
    return { kind: "dialogflow-es", used: files, ...readDialogflowEs(files, choices.language) };
  }
  const botium = files.filter(({ file }) => isBotium(file));
  if (botium.length > 0) return withUnread({ kind: "botium", used: botium, ...readBotium(botium) }, files);
  const rasa = files.filter(({ file, bytes }) => /\.ya?ml$/.test(file) && isRasa(decodeText(bytes).text));
  if (rasa.length > 0) return withUnread({ kind: "rasa", used: rasa, ...readRasa(rasa, choices) }, files);
  throw unknownFormat("the folder", `contains ${files.length} files, none in a known format`);
}

/** Number of files that are named; of more, only their number is given. */
const namedFiles = 8;

/** Names the files of a folder without rows. */
function withUnread(read: KindOfMaterial, files: readonly SourceFile[]): KindOfMaterial {
  const unread = files.filter((file) => !read.used.includes(file)).map(({ file }) => file);
  if (unread.length === 0) return read;
  const more = unread.length > namedFiles ? `, and ${unread.length - namedFiles} more` : "";
  const names = `Skipped files: ${unread.slice(0, namedFiles).join(", ")}${more}.`;
  return { ...read, decisions: [...read.decisions, names] };
}

/** JSON, YAML or delimited text. */
function readText(source: SourceFile, choices: MaterialChoices): KindOfMaterial {
  const { text, encoding } = decodeText(source.bytes);
  if (isRasa(text)) return { kind: "rasa", used: [source], ...readRasa([source], choices) };
  if (/^\s*(openapi|swagger|routes|encoder_type)\s*:/m.test(text) && !text.trimStart().startsWith("{")) {
    const structured = readStructured(source.file, yamlOf(source.file, text), choices);
    if (structured !== null) return { used: [source], ...structured };
  }
  throw unknownFormat(source.file, `contains ${encoding} text in one column, without labels`);
}

function yamlOf(file: string, text: string): unknown {
  try {
    return parseYaml(text) as unknown;
  } catch {
    throw new SluiceError("SYNTAX_INVALID", `${file}: not well-formed YAML`, { hint: "Export the file again." });
  }
}

function unknownFormat(what: string, found: string): SluiceError {
  return new SluiceError("FORMAT_UNKNOWN", `${what}: ${found}, expected labelled requests or tool definitions`, {
    hint:
      "Use a table (CSV, Excel, Parquet, JSON, JSON Lines), an export of Rasa, Dialogflow, LUIS, CLU, " +
      "semantic-router, promptfoo or Botium, or the tools of OpenAI, Anthropic, MCP or OpenAPI.",
  });
}
