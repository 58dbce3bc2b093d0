import { zipSync } from "fflate";
import { stringify } from "yaml";
import { SluiceError } from "../../src/errors/error.js";
import { type SeededRandom, seededRandom } from "../../src/stats/seeded-random.js";
import type { SourceFile } from "../../datasets/importers/imported-dataset.js";
import { defaultChoices } from "../../datasets/sources/choices.js";
import { readMaterial } from "../../datasets/sources/read-material.js";

/** Forms of a labelled source that are fuzzed. */
export const fuzzedForms = [
  "csv",
  "json-rows",
  "json-groups",
  "yaml-groups",
  "marked-lines",
  "folder",
  "archive",
] as const;
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
  const file = (name: string, content: string): SourceFile => ({ file: name, bytes: Buffer.from(content, "utf8") });
  const groups = [...grouped(rows)];
  const nested = {
    [pick(random, ["intents", "data", "x"])]: groups.map(([label, texts]) => ({
      [pick(random, ["intent", "name", "tag"])]: label,
      [pick(random, ["examples", "utterances", "patterns"])]: texts,
    })),
  };
  switch (form) {
    case "csv": {
      const delimiter = pick(random, [",", ";", "\t", "|"]);
      const lines = [["text", "intent"], ...rows.map(({ text, label }) => [text, label])].map((row) =>
        row.map(quoted).join(delimiter),
      );
      return [file("rows.csv", `${lines.join(pick(random, ["\n", "\r\n"]))}\n`)];
    }
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
    case "marked-lines":
      return [
        file(
          "nlu.md",
          groups
            .map(([label, texts]) => `## intent:${label}\n${texts.map((text) => `- ${text}`).join("\n")}\n`)
            .join("\n"),
        ),
      ];
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

/** Flips, cuts, doubles or inserts bytes. */
function damaged(files: readonly SourceFile[], random: SeededRandom): readonly SourceFile[] {
  return files.map((source) => {
    const bytes = Buffer.from(source.bytes);
    const at = upTo(random, Math.max(0, bytes.length - 1));
    switch (upTo(random, 4)) {
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

/** Longest that a file may take, in milliseconds. */
const longestMs = 2000;

/**
 * Reads one fuzzed source. A whole one has each of its rows in the texts or left out; a damaged one is read or refused
 * with an error of the table; none takes longer than two seconds.
 */
export async function fuzzOne(form: FuzzedForm, seed: number, clock: () => number): Promise<FuzzFault | null> {
  const random = seededRandom(seed);
  const rows = rowsOf(random);
  const whole = filesOf(form, rows, random);
  const isWhole = random.uniform() < 0.5;
  const files = isWhole ? whole : damaged(whole, random);
  const started = clock();
  const fault = await faultOf(form, files, isWhole ? rows : null);
  const ms = Math.round(clock() - started);
  const found = ms > longestMs ? `${ms} ms` : fault;
  return found === null ? null : { form, seed, fault: found };
}

/** @param rows  what a whole source holds; null for a damaged one */
async function faultOf(
  form: FuzzedForm,
  files: readonly SourceFile[],
  rows: readonly Row[] | null,
): Promise<string | null> {
  try {
    const { texts, leftOut } = await readMaterial(files, defaultChoices);
    if (rows === null || !countedForms.has(form)) return null;
    const accounted = texts.length + leftOut.filter(({ reason }) => reason !== "above_header").length;
    // A group without a name is skipped and named.
    const least = form.endsWith("groups") ? rows.filter(({ label }) => label !== "").length : rows.length;
    return accounted < least || accounted > rows.length ? `${accounted} of ${rows.length} rows` : null;
  } catch (error) {
    if (error instanceof SluiceError && error.code !== "INTERNAL") return null;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** Forms whose rows are counted: text in lines has its own idea of what a row is. */
const countedForms: ReadonlySet<FuzzedForm> = new Set(["csv", "json-rows", "json-groups", "yaml-groups"]);
