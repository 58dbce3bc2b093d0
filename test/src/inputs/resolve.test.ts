import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ResolvableInput } from "../../../src/domain/catalog.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { isPresent, patternBudget, resolveInputs } from "../../../src/inputs/resolve.js";
import { aCatalog, anInput, aWorkflow } from "../../support/builders.js";

const test = suite("src/inputs/resolve");

const unlimited = { remainingMs: () => Number.POSITIVE_INFINITY };

function resolve(
  inputs: readonly ResolvableInput[],
  request: { readonly text?: string; readonly context?: Readonly<Record<string, unknown>> },
  budget = unlimited,
) {
  const workflow = aWorkflow({ requiredInputs: inputs });
  const patterns = compileInputPatterns(aCatalog({ workflows: [workflow] }));
  return resolveInputs(workflow, { text: "", context: {}, ...request }, patterns, budget);
}

const present: readonly (readonly [value: unknown, present: boolean])[] = [
  [0, true],
  [false, true],
  ["x", true],
  [["x"], true],
  [{ a: null }, true],
  ["", false],
  [" \t\n", false],
  [null, false],
  [undefined, false],
  [[], false],
  [{}, false],
];

for (const [value, expected] of present) {
  test(`${JSON.stringify(value) ?? "undefined"} ${expected ? "is" : "is not"} a value`, () => {
    assert.is(isPresent(value), expected);
    assert.equal(resolve([anInput()], { context: { order_number: value } }).missing, expected ? [] : ["order_number"]);
  });
}

const input = anInput({ name: "city", aliases: ["town", "address.city"] });
const contexts: readonly (readonly [name: string, context: Readonly<Record<string, unknown>>, found: boolean])[] = [
  ["the name", { city: "Bern" }, true],
  ["an alias", { town: "Bern" }, true],
  ["a literal key with a dot", { "address.city": "Bern" }, true],
  ["a dotted path", { address: { city: "Bern" } }, true],
  ["a blank name and a good alias", { city: " ", town: "Bern" }, true],
  ["a path that ends early", { address: "Bern" }, false],
  ["a path through null", { address: null }, false],
  ["another key", { country: "CH" }, false],
  ["the name in capitals", { City: "Bern" }, false],
];

for (const [name, context, found] of contexts) {
  test(`${name} ${found ? "gives" : "does not give"} the input`, () => {
    assert.equal(resolve([input], { context }).missing, found ? [] : ["city"]);
  });
}

test("inherited properties are no values", () => {
  const inherited = anInput({ name: "constructor", aliases: ["to_string.name", "__proto__"] });
  assert.equal(resolve([inherited], { context: {} }).missing, ["constructor"]);
});

test("the text gives what the context does not, through the pattern", () => {
  const number = anInput({ pattern: "order (?P<value>[0-9]+)" });
  assert.equal(resolve([number], { text: "order 12" }).missing, []);
  assert.equal(resolve([number], { text: "my order" }).missing, ["order_number"]);
});

test("missing inputs keep the order of the catalog; optional ones are never asked for", () => {
  const inputs = [anInput({ name: "zebra" }), anInput({ name: "apple" })];
  assert.equal(resolve(inputs, {}).missing, ["zebra", "apple"]);
  const workflow = aWorkflow({ optionalInputs: [anInput()] });
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

test("a budget runs from its start and is shared", () => {
  let clock = 100;
  const budget = patternBudget(25, () => clock);
  assert.is(budget.remainingMs(), 25);
  clock = 124;
  assert.is(budget.remainingMs(), 1);
  clock = 130;
  assert.is(budget.remainingMs(), -5);
  const first = anInput({ name: "first", pattern: "[0-9]+" });
  assert.is(resolve([first], { text: "1" }, budget).timedOut, true);
});

test.run();
