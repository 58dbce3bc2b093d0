import { zipSync } from "fflate";
import { stringify } from "yaml";
import { SluiceError } from "../../src/base/error.js";
import { groupBy } from "../../src/base/group-by.js";
import { type SeededRandom, seededRandom } from "../../src/base/numbers/seeded-random.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { defaultChoices } from "../../datasets/sources/choices.js";
import type { LeftOutRow, SourceMaterial, SourceText } from "../../datasets/sources/parsed-source.js";
import type { LeftOutReason } from "../../src/documents/choices.js";
import { parseSource } from "../../datasets/sources/parse-source.js";

const rowForms = ["csv", "xlsx", "jsonl", "json-rows", "json-groups", "yaml-groups"] as const;
const groupForms = ["marked-lines", "folder", "archive", "sections", "templates", "tools", "openapi"] as const;
type GroupForm = (typeof groupForms)[number];

/** Forms of a labelled source that are fuzzed. */
export const fuzzedForms = [...rowForms, ...groupForms];
export type FuzzedForm = (typeof fuzzedForms)[number];

interface Row {
  readonly label: string;
  readonly text: string;
}

const pick = <T>(random: SeededRandom, all: readonly T[]): T => all[Math.floor(random.uniform() * all.length)] as T;
const upTo = (random: SeededRandom, most: number): number => Math.floor(random.uniform() * (most + 1));

const words =
  "please cancel my order when is the parcel 退款 größe ünï 👍 [x](y) {slot} <b> a|b (c|d) ; , : - # @who %v% \"quote\" 'q' \\ 0 -1 1.5 null".split(
    " ",
  );
const labels = [
  "refund",
  "track_order",
  "N/A",
  "none",
  "out_of_scope/x",
  "a|b",
  "Refund",
  "0",
  "0.0",
  "",
  "label with words",
  "Ümläut",
  "C++",
  "__proto__",
  "constructor",
];

const textOf = (random: SeededRandom): string =>
  Array.from({ length: upTo(random, 8) }, () => pick(random, words)).join(pick(random, [" ", " ", "  ", "\n"]));

function rowsOf(random: SeededRandom): readonly Row[] {
  return Array.from({ length: 1 + upTo(random, 25) }, () => ({ label: pick(random, labels), text: textOf(random) }));
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function grouped(rows: readonly Row[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { label, text } of rows) groups.set(label, [...(groups.get(label) ?? []), text]);
  return groups;
}

function filesOf(form: FuzzedForm, rows: readonly Row[], random: SeededRandom): readonly SourceFile[] {
  const groups = [...grouped(rows)];
  const nested = {
    [pick(random, ["intents", "data", "x"])]: groups.map(([label, texts]) => ({
      [pick(random, ["intent", "name", "tag"])]: label,
      [pick(random, ["examples", "utterances", "patterns"])]: texts,
    })),
  };
  if (isGroupForm(form)) return groupFilesOf(form, groups, random);
  switch (form) {
    case "csv": {
      const delimiter = pick(random, [",", ";", "\t", "|"]);
      const lines = [["text", "intent"], ...rows.map(({ text, label }) => [text, label])].map((row) =>
        row.map(quoted).join(delimiter),
      );
      return [file("rows.csv", `${lines.join(pick(random, ["\n", "\r\n"]))}\n`)];
    }
    case "xlsx":
      return [
        { file: "rows.xlsx", bytes: workbookOf([["text", "intent"], ...rows.map(({ text, label }) => [text, label])]) },
      ];
    case "jsonl":
      return [file("rows.jsonl", `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`)];
    case "json-rows":
      return [
        file(
          "rows.json",
          JSON.stringify(pick<unknown>(random, [rows, { data: rows }, { rows: rows.map((row) => ({ row })) }])),
        ),
      ];
    case "json-groups":
      return [file("groups.json", JSON.stringify(nested))];
    case "yaml-groups":
      return [file("groups.yml", stringify(nested))];
  }
}

const file = (name: string, content: string): SourceFile => ({ file: name, bytes: Buffer.from(content, "utf8") });

const isGroupForm = (form: FuzzedForm): form is GroupForm => groupForms.includes(form as GroupForm);

type Group = readonly [label: string, texts: readonly string[]];

/** Groups of texts in formats of their own. */
function groupFilesOf(form: GroupForm, groups: readonly Group[], random: SeededRandom): readonly SourceFile[] {
  switch (form) {
    case "marked-lines":
      return [
        file(
          "nlu.md",
          groups
            .map(([label, texts]) => `## intent:${label}\n${texts.map((text) => `- ${text}`).join("\n")}\n`)
            .join("\n"),
        ),
      ];
    case "sections":
      return [
        file(
          pick(random, ["nlu.lu", "bot.chatito", "bot.ini"]),
          groups
            .map(
              ([label, texts]) =>
                `${pick(random, [`# ${label}`, `%[${label}]`, `[${label}]`])}\n- ${texts.join("\n- ")}\n`,
            )
            .join("\n"),
        ),
      ];
    case "templates":
      return groups.map(([label, texts], at) => file(`${at}-${label.replaceAll(/\W/g, "")}.intent`, texts.join("\n")));
    case "tools":
      return [file("tools.json", JSON.stringify({ tools: groups.map(([label, texts]) => toolOf(label, texts)) }))];
    case "openapi": {
      const paths = groups.map(([label, texts], at) => [
        `/${at}`,
        { post: { operationId: label, summary: texts[0] ?? "" } },
      ]);
      return [file("api.json", JSON.stringify({ openapi: "3.1.0", paths: Object.fromEntries(paths) }))];
    }
    case "folder":
    case "archive": {
      const files = groups.map(([label, texts], at) =>
        file(`locale/en-us/${at}-${label.replaceAll(/\W/g, "")}.intent`, texts.join("\n")),
      );
      if (form === "folder") return files;
      const archive = zipSync(Object.fromEntries(files.map(({ file: name, bytes }) => [name, bytes])));
      return [{ file: "bot.zip", bytes: archive }];
    }
  }
}

const toolOf = (name: string, [description = "", ...fields]: readonly string[]) => ({
  name,
  description,
  inputSchema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])) },
});

const escaped = (cell: string): string =>
  cell.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A workbook with one sheet, its cells written in place. */
function workbookOf(rows: readonly (readonly string[])[]): Uint8Array {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const cell = (text: string, column: number, row: number): string =>
    `<c r="${"AB"[column] ?? "C"}${row + 1}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  const sheet = rows.map(
    (row, at) => `<row r="${at + 1}">${row.map((text, column) => cell(text, column, at)).join("")}</row>`,
  );
  const files = {
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Requests" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${main}"><sheetData>${sheet.join("")}</sheetData></worksheet>`,
  };
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, Buffer.from(`<?xml version="1.0"?>${xml}`)])),
  );
}

/** Pieces of syntax; repeated, they reach patterns that look ahead too far. */
const pieces = (
  "{ [ ( < \" ' | || ~[ @[ %[ ## \n \r\n > , ; \t a, a| {a= {@a= [a]( <a> <style <c <mergeCell &amp; &#1; - " +
  '-\n a:\n {} [] [], {"a": #a __label__a => -- %a \\ On '
).split(" ");

/**
 * Cuts files off, doubles, inserts or repeats bytes, or changes one; the first kind leaves all earlier rows as they
 * were.
 */
function damaged(files: readonly SourceFile[], random: SeededRandom): readonly SourceFile[] {
  return files.map((source) => {
    const bytes = Buffer.from(source.bytes);
    const at = upTo(random, Math.max(0, bytes.length - 1));
    switch (upTo(random, 5)) {
      case 0:
        return { ...source, bytes: bytes.subarray(0, at) };
      case 1:
        return { ...source, bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(upTo(random, at))]) };
      case 2:
        return {
          ...source,
          bytes: Buffer.concat([
            bytes.subarray(0, at),
            Buffer.from(pick(random, ["{", "[", '"', "\n- ", ": ", "\u0000", "&a *a", ",,,", "# ", "\t"])),
            bytes.subarray(at),
          ]),
        };
      case 4: {
        const repeated = pick(random, pieces).replaceAll("\\n", "\n").repeat(upTo(random, mostRepeats));
        return { ...source, bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from(repeated), bytes.subarray(at)]) };
      }
      case 3:
        if (bytes.length > 0) bytes[at] = upTo(random, 255);
        return { ...source, bytes };
      default:
        return source;
    }
  });
}

/** What went wrong with one fuzzed file; null when nothing did. */
export interface FuzzFault {
  readonly form: FuzzedForm;
  readonly seed: number;
  readonly fault: string;
}

const mostRepeats = 30_000;

/** Longest that a megabyte, or a smaller file, may take, in milliseconds. */
const longestMs = 2000;

/**
 * Reads one fuzzed source. A whole one has each of its rows in the texts or left out; a damaged one is read or refused
 * with an error of the table; none takes longer than two seconds for each megabyte.
 */
export async function fuzzOne(form: FuzzedForm, seed: number, clock: () => number): Promise<FuzzFault | null> {
  const random = seededRandom(seed);
  const rows = rowsOf(random);
  const whole = filesOf(form, rows, random);
  const isWhole = random.uniform() < 0.5;
  const files = isWhole ? whole : damaged(whole, random);
  const isCut = !isWhole && files.every(({ bytes }, at) => isBeginning(bytes, whole[at]?.bytes));
  const started = clock();
  const fault = await faultOf(form, files, { rows, isWhole, isCut });
  const ms = Math.round(clock() - started);
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6;
  const found = ms > longestMs * Math.max(1, megabytes) ? `${ms} ms` : fault;
  return found === null ? null : { form, seed, fault: found };
}

const isBeginning = (bytes: Uint8Array, whole: Uint8Array | undefined): boolean =>
  whole !== undefined && Buffer.from(whole.subarray(0, bytes.length)).equals(bytes);

interface Fuzzed {
  /** What the whole source holds. */
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
  /** Whether the end is missing, and nothing else is changed. */
  readonly isCut: boolean;
}

async function faultOf(form: FuzzedForm, files: readonly SourceFile[], fuzzed: Fuzzed): Promise<string | null> {
  try {
    return wrongIn(await parseSource(files, defaultChoices), form, fuzzed);
  } catch (error) {
    if (error instanceof SluiceError && error.code !== "INTERNAL") return null;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function wrongIn(
  { texts, leftOut }: Pick<SourceMaterial, "texts" | "leftOut">,
  form: FuzzedForm,
  { rows, isWhole, isCut }: Fuzzed,
): string | null {
  // Of a file that was cut off, only the last row may read differently.
  if (isCut && lines.has(form)) return inventedText(texts.slice(0, -1), rows);
  if (!isWhole || !countedForms.has(form)) return null;
  const strange = tables.has(form) ? misread(texts, leftOut, rows) : null;
  return (
    strange ?? uncounted(form, texts.length + leftOut.filter(({ reason }) => reason !== "above_header").length, rows)
  );
}

/** How many rows are neither read nor named; null where every row is. */
function uncounted(form: FuzzedForm, accounted: number, rows: readonly Row[]): string | null {
  // A group without a name is skipped and named, and a row of a sheet without a value is none.
  const isCounted = ({ text, label }: Row): boolean =>
    form.endsWith("groups") ? label !== "" : form !== "xlsx" || text !== "" || label !== "";
  const least = rows.filter(isCounted).length;
  return accounted < least || accounted > rows.length ? `${accounted} of ${rows.length} rows` : null;
}

/** Forms whose rows are counted: text in lines has its own idea of what a row is. */
const countedForms: ReadonlySet<FuzzedForm> = new Set([
  "csv",
  "xlsx",
  "jsonl",
  "json-rows",
  "json-groups",
  "yaml-groups",
]);

/** Forms whose texts are read as they are written. */
const tables: ReadonlySet<FuzzedForm> = new Set(["csv", "xlsx", "jsonl", "json-rows"]);

/** Forms with a row on each line. */
const lines: ReadonlySet<FuzzedForm> = new Set(["csv", "jsonl"]);

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Out-of-scope words, and labels that are one because they differ in case or trailing zeros only. */
function senseOf(label: string): string | null {
  if (label === "none" || label.startsWith("out_of_scope")) return null;
  return label === "0.0" ? "0" : plain(label).toLowerCase();
}

/** A text or a label that no row explains; null where there is none. */
function inventedText(texts: readonly SourceText[], rows: readonly Row[]): string | null {
  const written = new Set(rows.map(({ text, label }) => JSON.stringify([plain(text), senseOf(label)])));
  const key = ({ text, label }: SourceText): string =>
    JSON.stringify([plain(text), label === null ? null : senseOf(label)]);
  const invented = texts.findIndex((text) => !written.has(key(text)));
  return invented < 0 ? null : `the text ${invented} is no row`;
}

/** An invented text, or rows that are left out without a cause; null where there is none. */
function misread(texts: readonly SourceText[], leftOut: readonly LeftOutRow[], rows: readonly Row[]): string | null {
  const invented = inventedText(texts, rows);
  if (invented !== null) return invented;
  const reasons = groupBy(leftOut, ({ reason }) => reason);
  const most = {
    no_label: rows.filter(({ label }) => label === "").length,
    no_text: rows.filter(({ text }) => plain(text) === "").length,
    placeholder: rows.filter(({ label }) => label === "N/A").length,
    several_labels: rows.filter(({ label }) => label === "a|b").length,
    too_long: 0,
    not_text: 0,
    ragged: 0,
    not_user: 0,
  };
  const [excess] = Object.entries(most).filter(
    ([reason, count]) => (reasons.get(reason as LeftOutReason)?.length ?? 0) > count,
  );
  return excess === undefined ? null : `too many rows left out as ${excess[0]}`;
}
