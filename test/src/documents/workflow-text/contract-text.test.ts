import * as fc from "fast-check";
import type { Workflow } from "../../../../src/documents/catalog.js";
import {
  contractBudgets,
  type ContractSegment,
  contractText,
} from "../../../../src/documents/workflow-text/contract-text.js";
import { assert, test } from "../../../support/test.js";
import { anInput, aWorkflow } from "../../../support/builders.js";
import { serviceDeskCatalog } from "../../../support/service-desk.js";

const segments = Object.keys(contractBudgets) as readonly ContractSegment[];

/** Content of every segment of a text. */
function contents(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
}

const collapse = (text: string): string => text.replace(/\s+/g, " ").trim();

test("what must survive comes first, examples last", () => {
  const { text } = contractText(aWorkflow({ exclusions: ["Cancelling"], required_inputs: [anInput()] }));
  assert.equal([...contents(text).keys()], [...segments]);
});

test("empty segments are left out, blank items too", () => {
  const workflow = aWorkflow({ capabilities: [" "], examples: [], exclusions: ["\t"], required_inputs: [] });
  assert.equal([...contents(contractText(workflow).text).keys()], ["NAME", "DESCRIPTION", "EFFECT"]);
});

test("an input without a description is its name", () => {
  const inputs = [anInput({ name: "city", description: " " }), anInput({ name: "day", description: "Day of travel" })];
  assert.is(
    contents(contractText(aWorkflow({ required_inputs: inputs })).text).get("REQUIRES"),
    "city; day: Day of travel",
  );
});

test("ids, owners, tiers, patterns, aliases, events and metadata are not shown to the model", () => {
  const workflow = aWorkflow({ exclusions: ["Cancelling"], required_inputs: [anInput()] });
  const other = aWorkflow({
    ...workflow,
    workflow_id: "other.id",
    version: "9.9.9",
    owner: null,
    status: "disabled",
    risk_tier: "critical",
    confirmation: "always",
    required_inputs: [anInput({ aliases: ["number"], pattern: "[0-9]+" })],
    optional_inputs: [anInput({ name: "city" })],
    event_types: ["a.b"],
    metadata: { a: 1 },
  });
  assert.equal(contractText(other), contractText(workflow));
});

test("thirty inputs with the longest names all stay, and their descriptions are reported as cut", () => {
  const names = Array.from({ length: 30 }, (_, index) => `${"n".repeat(77)}_${String(index).padStart(2, "0")}`);
  const workflow = aWorkflow({ required_inputs: names.map((name) => anInput({ name, description: "described" })) });
  const { text, cut } = contractText(workflow);
  assert.equal(cut, ["REQUIRES"]);
  assert.is(contents(text).get("REQUIRES"), names.join("; "));
});

test("every contract of the shipped catalog but long lists of examples is whole", async () => {
  const { workflows } = await serviceDeskCatalog();
  const cut = workflows.map((workflow) => contractText(workflow).cut);
  assert.ok(cut.every((names) => names.every((name) => name === "EXAMPLES")));
});

const words = (maxLength: number) => fc.string({ unit: "binary", minLength: 1, maxLength });
const texts = (maxLength: number, count: number) => fc.array(words(maxLength), { maxLength: count });
const inputs = fc.array(
  fc.record({ name: fc.stringMatching(/^[a-z][a-z0-9_]{0,79}$/), description: fc.string({ maxLength: 500 }) }),
  { maxLength: 30 },
);
const workflows: fc.Arbitrary<Workflow> = fc
  .record({
    name: fc.string({ minLength: 3, maxLength: 160 }),
    description: words(2000),
    exclusions: texts(300, 30),
    capabilities: texts(300, 30),
    examples: texts(1000, 10),
    inputs,
  })
  .map(({ inputs: required, ...rest }) => aWorkflow({ ...rest, required_inputs: required.map((one) => anInput(one)) }));

const property = (check: (workflow: Workflow) => void): void =>
  fc.assert(
    fc.property(workflows, (workflow) => check(workflow)),
    { numRuns: 60 },
  );

test("no segment is longer than its budget; only the names of required inputs may be", () => {
  property((workflow) => {
    const names = workflow.required_inputs.map((input) => `${input.name}: `).join("; ").length;
    for (const [label, content] of contents(contractText(workflow).text)) {
      const budget = contractBudgets[label as ContractSegment];
      assert.ok(content.length <= (label === "REQUIRES" ? Math.max(budget, names) : budget), label);
    }
  });
});

test("the name and every name of a required input are there", () => {
  property((workflow) => {
    const found = contents(contractText(workflow).text);
    assert.is(found.get("NAME") ?? "", collapse(workflow.name));
    const required = (found.get("REQUIRES") ?? "").split("; ");
    let next = 0;
    for (const { name } of workflow.required_inputs) {
      while (next < required.length && required[next] !== name && !required[next]?.startsWith(`${name}: `)) next += 1;
      assert.ok(next < required.length, name);
      next += 1;
    }
  });
});

test("exclusions within their budget are whole, and longer ones all leave a beginning", () => {
  property((workflow) => {
    const { text, cut } = contractText(workflow);
    const found = contents(text).get("EXCLUDES") ?? "";
    const exclusions = workflow.exclusions.map(collapse).filter((one) => one !== "");
    const whole = exclusions.join("; ");
    assert.is(cut.includes("EXCLUDES"), whole.length > contractBudgets.EXCLUDES);
    if (whole.length <= contractBudgets.EXCLUDES) assert.is(found, whole);
    else for (const one of exclusions) assert.ok(found.includes([...one][0] ?? ""));
  });
});

test("nothing is cut without being reported", () => {
  property((workflow) => {
    const { text, cut } = contractText(workflow);
    const found = contents(text);
    const whole = (items: readonly string[]): string =>
      items
        .map(collapse)
        .filter((item) => item !== "")
        .join("; ");
    if (!cut.includes("DESCRIPTION")) assert.is(found.get("DESCRIPTION") ?? "", collapse(workflow.description));
    if (!cut.includes("CAPABILITIES")) assert.is(found.get("CAPABILITIES") ?? "", whole(workflow.capabilities));
    if (!cut.includes("EXAMPLES")) assert.is(found.get("EXAMPLES") ?? "", whole(workflow.examples));
  });
});
