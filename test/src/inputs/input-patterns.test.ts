import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "../../../src/catalog/load.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { aCatalog, anInput, aWorkflow } from "../../support/builders.js";
import { packageRoot } from "../../support/package-root.js";

const test = suite("src/inputs/input-patterns");

function find(pattern: string | null, text: string): string | null {
  const input = anInput({ pattern });
  return compileInputPatterns(aCatalog({ workflows: [aWorkflow({ requiredInputs: [input] })] })).find(input, text);
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

test("a pattern that would take a backtracking engine for ever ends", () => {
  assert.is(find("^(?P<value>(a|a)*)$", `${"a".repeat(7999)}b`), null);
  assert.is(find("^(a+)+$", `${"a".repeat(7999)}b`), null);
});

test("commonness is the share of workflows that declare the pattern", () => {
  const shared = anInput({ pattern: "[0-9]+" });
  const rare = anInput({ name: "city", pattern: "in [a-z]+" });
  const workflows = [
    aWorkflow({ workflowId: "first.one", requiredInputs: [shared, rare] }),
    aWorkflow({ workflowId: "second.one", requiredInputs: [shared], optionalInputs: [{ ...shared, name: "again" }] }),
    aWorkflow({ workflowId: "third.one", optionalInputs: [shared] }),
    aWorkflow({ workflowId: "fourth.one" }),
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
    const workflow = catalog.workflows.find((one) => one.workflowId === row.workflow_id);
    if (workflow === undefined || row.context !== undefined || row.missing_inputs === undefined) continue;
    complete += 1;
    const found = workflow.requiredInputs.filter((input) => patterns.find(input, row.text) === null);
    assert.equal(
      found.map((input) => input.name),
      row.missing_inputs,
      row.id,
    );
  }
  assert.ok(complete > 1000, `only ${complete} requests were looked at`);
});

test.run();
