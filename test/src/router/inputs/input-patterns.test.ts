import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResolvableInput } from "../../../../src/documents/catalog.js";
import { loadCatalog } from "../../../../src/router/catalog/load.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, packageRoot, test, throws } from "../../../support/test.js";
import { aCatalog, anInput, aPolicy, aWorkflow } from "../../../support/builders.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../../support/service-desk.js";

function find(pattern: string | null, text: string): string | null {
  const input = anInput({ pattern });
  return compileInputPatterns(aCatalog({ workflows: [aWorkflow({ required_inputs: [input] })] })).find(input, text);
}

const rows: readonly (readonly [name: string, pattern: string | null, text: string, value: string | null])[] = [
  ["group `value` is the value", "order (?P<value>[0-9]+)", "status of order 512 please", "512"],
  ["the other spelling of the group too", "order (?<value>[0-9]+)", "order 7", "7"],
  ["without the group, the whole match", "[0-9]{3}", "call 911 now", "911"],
  ["other groups do not count", "(order) ([0-9]+)", "order 512", "order 512"],
  ["case is ignored", "ORD-(?P<value>[a-z]+)", "ord-ABC", "ABC"],
  ["the first match counts", "[0-9]+", "1 and 2", "1"],
  ["no match is null", "[0-9]+", "none", null],
  ["no pattern is null", null, "order 512", null],
  ["an empty value is null", "order (?P<value>[0-9]*)", "order x", null],
  ["an empty match is null", "[0-9]*", "abc", null],
  ["a group that took no part is null", "a|(?P<value>b)", "a", null],
  ["text beyond the first plane", "(?P<value>\\p{L}+)$", "🙂 straße", "straße"],
];

for (const [name, pattern, text, value] of rows) test(name, () => assert.is(find(pattern, text), value));

test("an input of another catalog has no value", () => {
  const patterns = compileInputPatterns(aCatalog());
  assert.is(patterns.find(anInput({ pattern: "[0-9]+" }), "12"), null);
});

test("a pattern that would hang a backtracking engine terminates", () => {
  assert.is(find("^(?P<value>(a|a)*)$", `${"a".repeat(7999)}b`), null);
  assert.is(find("^(a+)+$", `${"a".repeat(7999)}b`), null);
});

/** Patterns that take the engine's slow ways: many states, many threads, groups to record, one way only. */
const slowPatterns: readonly (readonly [way: string, pattern: string])[] = [
  ["new states at every character", "(?:a|b)*a(?:a|b){300}$"],
  ["all instructions alive at once", "(?:a?){450}$"],
  ["groups to record", `${"(a?)".repeat(100)}$`],
  ["a single way through the text", "^(?P<value>(?:[ab])*)c$"],
  ["letters of any language", "(?:[\\pL]?){400}#"],
];
const longText = Array.from({ length: 8000 }, (_, index) => ((index * index) % 7 < 3 ? "a" : "b")).join("");

for (const [way, pattern] of slowPatterns) {
  test(`a search ends with its time: ${way}`, () => {
    const input = anInput({ pattern });
    const patterns = compileInputPatterns(aCatalog({ workflows: [aWorkflow({ required_inputs: [input] })] }));
    let looks = 0;
    const timeLeft = { remainingMs: () => 50 - (looks += 1) };
    const error = throws(() => patterns.find(input, longText, timeLeft), "PATTERNS_TIMED_OUT");
    assert.is(looks, 50);
    assert.not.match(error.message, /[ab]{3}/);
  });
}

test("a pattern stays usable after a search is aborted", () => {
  for (const [, pattern] of slowPatterns) {
    const input = anInput({ pattern });
    const patterns = compileInputPatterns(aCatalog({ workflows: [aWorkflow({ required_inputs: [input] })] }));
    for (let allowed = 2; allowed < 40; allowed += 7) {
      let looks = 0;
      const timeLeft = { remainingMs: () => allowed - (looks += 1) };
      throws(() => patterns.find(input, longText, timeLeft), "PATTERNS_TIMED_OUT");
      for (const text of ["", "ab", "abab#", `${"ab".repeat(150)}c`, "aaa"]) {
        assert.is(patterns.find(input, text), find(pattern, text), `${pattern} on ${text}`);
      }
    }
  }
});

test("nothing is searched when no time is left", () => {
  const input = anInput({ pattern: "[0-9]+" });
  const patterns = compileInputPatterns(aCatalog({ workflows: [aWorkflow({ required_inputs: [input] })] }));
  throws(() => patterns.find(input, "1", { remainingMs: () => 0 }), "PATTERNS_TIMED_OUT");
  throws(() => patterns.find(input, "1", { remainingMs: () => -5 }), "PATTERNS_TIMED_OUT");
});

test("a time limit that is met changes no value of the shipped catalog", async () => {
  const catalog = await serviceDeskCatalog();
  const patterns = compileInputPatterns(catalog);
  const inputs = catalog.workflows.flatMap((one) => [...one.required_inputs, ...one.optional_inputs]);
  const timeLeft = { remainingMs: () => 25 };
  for (const { text } of serviceDeskRequests().slice(0, 150)) {
    for (const input of inputs) assert.is(patterns.find(input, text, timeLeft), patterns.find(input, text));
  }
});

test("all patterns at once find what each finds by itself", async () => {
  const catalog = await serviceDeskCatalog();
  const patterns = compileInputPatterns(catalog);
  const inputs = catalog.workflows.flatMap((one) => [...one.required_inputs, ...one.optional_inputs]);
  const distinct = new Map(inputs.flatMap((input) => (input.pattern === null ? [] : [[input.pattern, input]])));
  assert.ok(distinct.size > 50, `${distinct.size}`);
  for (const { text } of serviceDeskRequests().filter((_, index) => index % 10 === 0)) {
    const alone = [...distinct].filter(([, input]) => patterns.find(input, text) !== null).map(([pattern]) => pattern);
    assert.equal([...patterns.found(text, { remainingMs: () => 25 })].sort(), alone.sort(), text);
  }
});

test("all patterns at once end with their time, and are fit for the next text", () => {
  const requiredInputs = slowPatterns.map(([, pattern], index) => anInput({ name: `slow_${index}`, pattern }));
  const catalog = aCatalog({ workflows: [aWorkflow({ required_inputs: requiredInputs })] });
  const patterns = compileInputPatterns(catalog);
  const expected = compileInputPatterns(catalog).found("abab#");
  assert.is(expected.length, 1);
  for (let allowed = 2; allowed < 40; allowed += 7) {
    let looks = 0;
    throws(() => patterns.found(longText, { remainingMs: () => allowed - (looks += 1) }), "PATTERNS_TIMED_OUT");
    assert.is(looks, allowed);
    assert.equal(patterns.found("abab#"), expected);
  }
});

const random = seededRandom(1);
const noise = (alphabet: string): string =>
  Array.from({ length: 8000 }, () => alphabet[random.integer(0, alphabet.length - 1)]).join("");

/** Texts of the longest request that are made to keep the patterns of the shipped catalog busy. */
const busyTexts: readonly string[] = [
  ...["a", "jan 1 ", "one room 10 ", "2024-01-0", "last cc-12 ", "+41 "].map((piece) => {
    return piece.repeat(8000).slice(0, 8000);
  }),
  noise("abcdefgh "),
  noise("abcdefghijklmnopqrstuvwxyz0123456789 .-"),
];

test("no pattern of the shipped catalog needs the default budget for the longest text", async () => {
  const { workflows } = await serviceDeskCatalog();
  const inputs = workflows.flatMap((one) => [...one.required_inputs, ...one.optional_inputs]);
  const distinct = new Map(inputs.map((input) => [input.pattern, input]));
  const budgetMs = aPolicy().pattern_budget_ms;
  const milliseconds = (input: ResolvableInput, text: string): number => {
    const patterns = compileInputPatterns(aCatalog({ workflows: [aWorkflow({ required_inputs: [input] })] }));
    const before = process.cpuUsage();
    patterns.find(input, text);
    return process.cpuUsage(before).user / 1000;
  };
  for (const input of distinct.values()) {
    for (const text of busyTexts) {
      const inTime = [1, 2, 3].some(() => milliseconds(input, text) < budgetMs);
      assert.ok(inTime, `${input.name} on ${text.slice(0, 12)}`);
    }
  }
});

test("commonness is the share of workflows that declare the pattern", () => {
  const shared = anInput({ pattern: "[0-9]+" });
  const rare = anInput({ name: "city", pattern: "in [a-z]+" });
  const workflows = [
    aWorkflow({ workflow_id: "first.one", required_inputs: [shared, rare] }),
    aWorkflow({
      workflow_id: "second.one",
      required_inputs: [shared],
      optional_inputs: [{ ...shared, name: "again" }],
    }),
    aWorkflow({ workflow_id: "third.one", optional_inputs: [shared] }),
    aWorkflow({ workflow_id: "fourth.one" }),
  ];
  const patterns = compileInputPatterns(aCatalog({ workflows }));
  assert.is(patterns.commonness(shared), 3 / 4);
  assert.is(patterns.commonness(rare), 1 / 4);
  assert.is(patterns.commonness(anInput()), 1);
});

test("labelled values of the shipped requests are found: no pattern of a complete request is without a match", async () => {
  const folder = join(packageRoot, "datasets/service-desk");
  const { catalog } = await loadCatalog(join(folder, "catalog.yaml"));
  const patterns = compileInputPatterns(catalog);
  const rowsOfFile = readFileSync(join(folder, "requests.jsonl"), "utf8").trim().split("\n");
  let complete = 0;
  for (const line of rowsOfFile) {
    const row = JSON.parse(line) as {
      id: string;
      text: string;
      workflow_id: string | null;
      missing_inputs?: readonly string[];
      context?: Readonly<Record<string, unknown>>;
    };
    const workflow = catalog.workflows.find((one) => one.workflow_id === row.workflow_id);
    if (workflow === undefined || row.context !== undefined || row.missing_inputs === undefined) continue;
    complete += 1;
    const found = workflow.required_inputs.filter((input) => patterns.find(input, row.text) === null);
    assert.equal(
      found.map((input) => input.name),
      row.missing_inputs,
      row.id,
    );
  }
  assert.ok(complete > 1000, `only ${complete} requests were checked`);
});
