/**
 * Measures the cost of searches for inputs: backtracking versus linear-time engine, with and without time limits,
 * ordinary versus hostile patterns. Results are milliseconds of processor time, or of wall-clock time with a time
 * limit; the minimum of five runs.
 *
 *   node dist/bench/input-patterns.js CATALOG REQUESTS
 */
import { createContext, Script } from "node:vm";
import { readFileSync } from "node:fs";
import { loadCatalog } from "../src/router/catalog/load.js";
import type { ResolvableInput } from "../src/documents/catalog.js";
import type { TimeLeft } from "../src/router/inputs/bounded-text.js";
import { compileInputPatterns, type InputPatterns } from "../src/router/inputs/input-patterns.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";

const longest = 8000;
const budgetMs = 25;
const noLimit: TimeLeft = { remainingMs: () => Number.POSITIVE_INFINITY };

const [catalogFile = "", requestsFile = ""] = process.argv.slice(2);
const { catalog } = await loadCatalog(catalogFile);

/** Processor time of `work`, milliseconds. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Wall-clock time of `work`, milliseconds. */
function elapsed(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

const leastOf = (measure: (work: () => void) => number, work: () => void): number =>
  Math.min(...[1, 2, 3, 4, 5].map(() => measure(work)));

/** A text of `longest` characters. */
const repeated = (piece: string): string => piece.repeat(longest).slice(0, longest);

/** Compiles the pattern for every run, so that the engine has not been optimised for any text. */
function search(pattern: string, text: string, limited = false): number {
  const input: ResolvableInput = { name: "input", description: "", aliases: [], pattern };
  const workflows = catalog.workflows.slice(0, 1).map((first) => ({ ...first, required_inputs: [input] }));
  const timeLeft = limited ? budget : () => noLimit;
  const work = () => findOrEnd(compileInputPatterns({ ...catalog, workflows }), input, text, timeLeft());
  return leastOf(limited ? elapsed : cost, work);
}

function findOrEnd(patterns: InputPatterns, input: ResolvableInput, text: string, timeLeft: TimeLeft): void {
  try {
    patterns.find(input, text, timeLeft);
  } catch {
    // The time limit was reached, which is the measured case.
  }
}

function budget(): TimeLeft {
  const end = performance.now() + budgetMs;
  return { remainingMs: () => end - performance.now() };
}

function print(what: string, ms: number): void {
  process.stdout.write(`${ms.toFixed(2).padStart(9)} ms  ${what}\n`);
}

for (const count of [20, 24, 28]) {
  print(
    `backtracking engine, (a+)+$ on ${count} letters and a mark`,
    cost(() => /(a+)+$/.test(`${"a".repeat(count)}!`)),
  );
}
print(`linear-time engine, the same on ${longest} letters`, search("(a+)+$", `${repeated("a").slice(1)}!`));

const script = new Script("pattern.test(text)");
const context = createContext({ pattern: /[0-9]+x/, text: "order 12" });
const calls = 500;
const inScript = leastOf(cost, () => {
  for (let call = 0; call < calls; call += 1) script.runInContext(context, { timeout: budgetMs });
});
print("backtracking engine behind a script time-out, one call on a short text", inScript / calls);

const inputs = catalog.workflows.flatMap((one) => [...one.required_inputs, ...one.optional_inputs]);
const distinct = [
  ...new Map(inputs.filter(({ pattern }) => pattern !== null).map((one) => [one.pattern, one])).values(),
];
const texts = readFileSync(requestsFile, "utf8")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { readonly text: string }).text);
const patterns = compileInputPatterns(catalog);
const allOf = (timeLeft: TimeLeft): (() => void) => {
  return () => {
    for (const text of texts) for (const input of distinct) patterns.find(input, text, timeLeft);
  };
};
const plenty: TimeLeft = { remainingMs: () => 1e9 - performance.now() };
print(`${distinct.length} patterns on one request, no limit`, leastOf(cost, allOf(noLimit)) / texts.length);
print(`${distinct.length} patterns on one request, time limit`, leastOf(cost, allOf(plenty)) / texts.length);

const random = seededRandom(1);
const noise = (alphabet: string): string =>
  Array.from({ length: longest }, () => alphabet[random.integer(0, alphabet.length - 1)]).join("");
const busy = ["one room 10 ", "2024-01-0", "last cc-12 "].map(repeated);
busy.push(noise("abcdefgh "), noise("abcdefghijklmnopqrstuvwxyz0123456789 .-"));
const slowest = Math.max(...distinct.flatMap(({ pattern }) => busy.map((text) => search(pattern ?? "", text))));
print(`slowest pattern of the catalog on ${longest} characters, first run`, slowest);

const hostile = ["(?:a|b)*a(?:a|b){300}$", "(?:a?){498}$", `${"(a?)".repeat(120)}$`];
const letters = noise("ab");
for (const pattern of hostile) {
  const what = `${pattern.slice(0, 24)} on ${longest} letters`;
  print(`${what}, no limit`, search(pattern, letters));
  print(`${what}, ${budgetMs} ms by the clock`, search(pattern, letters, true));
}
