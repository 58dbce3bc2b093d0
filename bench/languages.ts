/**
 * What the language gate of the default policy stops where a claim covers English: English requests, which it should
 * pass, and requests in other languages. Prints a table.
 *
 *   node dist/bench/languages.js [--data FOLDER]
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { defaultLanguageRule, languagesIn } from "../src/base/language.js";
import { serviceDeskRequests } from "../test/support/service-desk.js";
import { shared } from "../test/support/shared.js";

const { values } = parseArgs({ options: { data: { type: "string", default: shared("data") } } });
/** Words of a long text; the aims are about these. */
const longWords = 4;

const textsIn = (...path: readonly string[]): readonly string[] =>
  readFileSync(join(values.data, ...path), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly text: string }).text);

/** Chinese, the only language here without spaces, is read at any length. */
const isLong = (text: string): boolean =>
  (text.match(/[\p{L}\p{M}]+/gu)?.length ?? 0) >= longWords || /\p{Script=Han}/u.test(text);

async function declined(texts: readonly string[]): Promise<number> {
  const read = await Promise.all(texts.map((text) => languagesIn(text, defaultLanguageRule)));
  return read.filter((languages) => languages.length > 0 && !languages.includes("en")).length;
}

async function row(name: string, texts: readonly string[]) {
  const long = texts.filter(isLong);
  const short = texts.filter((text) => !isLong(text));
  const of = { long: await declined(long), short: await declined(short) };
  const cell = (count: number, all: readonly string[]): string =>
    all.length === 0 ? "-" : `${count} of ${all.length} (${((100 * count) / all.length).toFixed(1)}%)`;
  process.stdout.write(`| ${name} | ${cell(of.long, long)} | ${cell(of.short, short)} |\n`);
  return { ...of, longs: long.length, shorts: short.length };
}

process.stdout.write("| Requests | declined, four words or more | shorter |\n|---|---|---|\n");
for (const name of ["banking77", "clinc150", "sgd"]) await row(`${name}, English`, textsIn(name, "data.jsonl"));
await row(
  "service desk, English",
  serviceDeskRequests().map(({ text }) => text),
);
const all: Awaited<ReturnType<typeof row>>[] = [];
for (const set of ["xsid", "home-assistant"]) {
  for (const file of readdirSync(join(values.data, "languages", set)).filter((one) => one.endsWith(".jsonl"))) {
    const found = await row(`${set}, ${basename(file, ".jsonl")}`, textsIn("languages", set, file));
    if (file !== "en.jsonl") all.push(found);
  }
}
const sum = (key: "long" | "longs"): number => all.reduce((total, one) => total + one[key], 0);
process.stdout.write(`languages other than English: ${((100 * sum("long")) / sum("longs")).toFixed(1)}% declined\n`);
