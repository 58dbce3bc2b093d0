import type { ResolvableInput } from "../../../../src/documents/catalog.js";
import { compileInputPatterns } from "../../../../src/router/inputs/input-patterns.js";
import {
  findRequiredInputs,
  foundRequiredInputs,
  isPresent,
  patternBudget,
  resolveFound,
  resolveInputs,
} from "../../../../src/router/inputs/resolve.js";
import { assert, test } from "../../../support/test.js";
import { aCatalog, anInput, aWorkflow } from "../../../support/builders.js";

const unlimited = { remainingMs: () => Number.POSITIVE_INFINITY };

function resolve(
  inputs: readonly ResolvableInput[],
  request: { readonly text?: string; readonly context?: Readonly<Record<string, unknown>> },
  budget = unlimited,
) {
  const workflow = aWorkflow({ required_inputs: inputs });
  const patterns = compileInputPatterns(aCatalog({ workflows: [workflow] }));
  return resolveInputs(workflow, { text: "", context: {}, ...request }, patterns, budget);
}

const present: readonly (readonly [name: string, value: unknown, present: boolean])[] = [
  ["0", 0, true],
  ["-0", -0, true],
  ["false", false, true],
  ["a text", "x", true],
  ["a text of digits", "0", true],
  ["a list with a text", ["x"], true],
  ["a list with an empty list", [[]], true],
  ["a list with null", [null], true],
  ["an object with null in it", { a: null }, true],
  ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 }), true],
  ["an empty text", "", false],
  ["blanks", " \t\n", false],
  ["a blank that is not ASCII", "\u00a0\u2003", false],
  ["null", null, false],
  ["undefined", undefined, false],
  ["NaN", Number.NaN, false],
  ["an empty list", [], false],
  ["an empty object", {}, false],
  ["an object that only inherits", Object.create({ a: 1 }), false],
];

for (const [name, value, expected] of present) {
  test(`${name} ${expected ? "is" : "is not"} a value`, () => {
    assert.is(isPresent(value), expected);
    assert.equal(resolve([anInput()], { context: { order_number: value } }).missing, expected ? [] : ["order_number"]);
  });
}

const input = anInput({ name: "city", aliases: ["town", "address.city", "stops.0.city"] });
const contexts: readonly (readonly [name: string, context: Readonly<Record<string, unknown>>, found: boolean])[] = [
  ["the name", { city: "Bern" }, true],
  ["an alias", { town: "Bern" }, true],
  ["a literal key with a dot", { "address.city": "Bern" }, true],
  ["a dotted path", { address: { city: "Bern" } }, true],
  ["a literal key next to a path that ends in nothing", { "address.city": "Bern", address: { city: "" } }, true],
  ["a path next to a blank literal key", { "address.city": " ", address: { city: "Bern" } }, true],
  ["a path through a list", { stops: [{ city: "Bern" }] }, true],
  ["a path beyond the end of a list", { stops: [] }, false],
  ["a blank name and a good alias", { city: " ", town: "Bern" }, true],
  ["a path that ends early", { address: "Bern" }, false],
  ["a path through null", { address: null }, false],
  ["a path to null", { address: { city: null } }, false],
  ["a path to an empty list", { address: { city: [] } }, false],
  ["a path with a literal dot below the top", { outer: { "address.city": "Bern" } }, false],
  ["an inherited value", Object.create({ city: "Bern" }) as Record<string, unknown>, false],
  ["an inherited value on a path", { address: Object.create({ city: "Bern" }) as unknown }, false],
  ["another key", { country: "CH" }, false],
  ["the name in capitals", { City: "Bern" }, false],
];

for (const [name, context, found] of contexts) {
  test(`${name} ${found ? "gives" : "does not give"} the input`, () => {
    assert.equal(resolve([input], { context }).missing, found ? [] : ["city"]);
  });
}

test("inherited properties and lengths are no values", () => {
  const inherited = anInput({ name: "constructor", aliases: ["to_string.name", "__proto__", "__proto__.constructor"] });
  assert.equal(resolve([inherited], { context: {} }).missing, ["constructor"]);
  const length = anInput({ name: "length", aliases: ["items.length"] });
  assert.equal(resolve([length], { context: { items: ["x"] } }).missing, ["length"]);
});

test("a key __proto__ that a JSON body really has is a key like any other", () => {
  const named = anInput({ aliases: ["__proto__.number"] });
  const context = JSON.parse('{"__proto__":{"number":12}}') as Readonly<Record<string, unknown>>;
  assert.equal(resolve([named], { context }).missing, []);
});

test("the text gives what the context does not, through the pattern", () => {
  const number = anInput({ pattern: "order (?P<value>[0-9]+)" });
  assert.equal(resolve([number], { text: "order 12" }).missing, []);
  assert.equal(resolve([number], { text: "my order" }).missing, ["order_number"]);
});

test("missing inputs follow the catalog's order; optional inputs are never requested", () => {
  const inputs = [anInput({ name: "zebra" }), anInput({ name: "apple" })];
  assert.equal(resolve(inputs, {}).missing, ["zebra", "apple"]);
  const workflow = aWorkflow({ optional_inputs: [anInput()] });
  const patterns = compileInputPatterns(aCatalog({ workflows: [workflow] }));
  assert.equal(resolveInputs(workflow, { text: "", context: {} }, patterns, unlimited).missing, []);
});

test("a spent budget is reported, and only where a pattern was needed", () => {
  const spent = { remainingMs: () => 0 };
  const number = anInput({ pattern: "[0-9]+" });
  const request = { text: "order 12" };
  assert.equal(resolve([number], request, spent), { missing: ["order_number"], timedOut: true });
  assert.equal(resolve([number], { ...request, context: { order_number: 12 } }, spent), {
    missing: [],
    timedOut: false,
  });
  assert.equal(resolve([anInput()], request, spent), { missing: ["order_number"], timedOut: false });
});

test("a budget runs from its first search and is shared", () => {
  let clock = 50;
  const budget = patternBudget(25, { now: () => clock });
  clock = 100;
  assert.is(budget.remainingMs(), 25);
  clock = 124;
  assert.is(budget.remainingMs(), 1);
  clock = 130;
  assert.is(budget.remainingMs(), -5);
  const first = anInput({ name: "first", pattern: "[0-9]+" });
  assert.is(resolve([first], { text: "1" }, budget).timedOut, true);
});

test("time in which the processor did other work is not counted", () => {
  const clock = { now: 100, workedMs: 7 };
  const budget = patternBudget(25, { now: () => clock.now, workedMs: () => clock.workedMs });
  assert.is(budget.remainingMs(), 25);
  Object.assign(clock, { now: 5100, workedMs: 17 });
  assert.is(budget.remainingMs(), 15);
  const first = anInput({ name: "first", pattern: "[0-9]+" });
  assert.equal(resolve([first], { text: "1" }, budget), { missing: [], timedOut: false });
  Object.assign(clock, { now: 5200, workedMs: 33 });
  assert.is(budget.remainingMs(), -1);
  assert.is(resolve([first], { text: "1" }, budget).timedOut, true);
});

test("processor time is read only after the wall-clock limit", () => {
  let asked = 0;
  let now = 0;
  const workedMs = (): number => {
    asked += 1;
    return 0;
  };
  const budget = patternBudget(25, { now: () => now, workedMs });
  for (now = 0; now < 25; now += 1) budget.remainingMs();
  assert.is(asked, 1);
  budget.remainingMs();
  assert.is(asked, 2);
});

const hostile = anInput({ name: "hostile", pattern: "(?:a?){450}$" });
const easy = anInput({ name: "easy", pattern: "a" });
const longText = "a".repeat(8000);

test("a search that is under way when the budget ends is a time-out, and nothing is tried after it", () => {
  let looks = 0;
  const budget = { remainingMs: () => 100 - (looks += 1) };
  assert.equal(resolve([easy, hostile, easy, anInput()], { text: `${longText}b` }, budget), {
    missing: ["hostile", "easy", "order_number"],
    timedOut: true,
  });
  assert.is(looks, 100);
});

test("an expensive pattern is not started for a value that the context gives", () => {
  const context = { hostile: "given" };
  const budget = patternBudget(25, { now: () => 0 });
  assert.equal(resolve([hostile], { text: longText, context }, budget), { missing: [], timedOut: false });
});

test("the most expensive patterns end soon after the budget, by the real clock", () => {
  const before = process.cpuUsage();
  const budget = patternBudget(25, { now: () => performance.now() });
  const all = ["(?:a?){498}$", "(?:[\\pL]?){400}#", "(?:a|b)*a(?:a|b){300}$"].map((pattern, index) =>
    anInput({ name: `hostile_${index}`, pattern }),
  );
  assert.is(resolve(all, { text: longText }, budget).timedOut, true);
  assert.ok(process.cpuUsage(before).user < 250_000);
});

test("patterns of several workflows are looked for once each, within one budget, and say what resolving itself does", () => {
  const input = (name: string, pattern: string | null) => anInput({ name, pattern });
  const requiredInputs = [input("one", "one"), input("two", "two"), input("three", "three"), input("given", null)];
  const workflow = aWorkflow({ required_inputs: requiredInputs });
  const patterns = compileInputPatterns(aCatalog({ workflows: [workflow] }));
  let searches = 0;
  const counted: typeof patterns = {
    ...patterns,
    find: (...args) => {
      searches += 1;
      return patterns.find(...args);
    },
  };
  const findings = findRequiredInputs([workflow, workflow], "two three", counted, unlimited);
  assert.is(searches, 3);
  const context = { given: 1 };
  assert.equal(resolveFound(workflow, context, findings), { missing: ["one"], timedOut: false });
  assert.equal(
    resolveInputs(workflow, { text: "two three", context }, patterns, unlimited),
    resolveFound(workflow, context, findings),
  );

  assert.equal(foundRequiredInputs([workflow], patterns.found("two three"), unlimited), findings);

  const none = { remainingMs: () => 0 };
  const spent = findRequiredInputs([workflow], "two three", patterns, none);
  assert.equal(foundRequiredInputs([workflow], patterns.found("two three"), none), spent);
  assert.equal([...spent.timedOut], ["one", "two", "three"]);
  assert.equal(resolveFound(workflow, { ...context, one: 1 }, spent), { missing: ["two", "three"], timedOut: true });
});
