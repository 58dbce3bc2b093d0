import { catalogYaml, draftProject } from "../../../datasets/draft/draft-project.js";
import { exampleCount } from "../../../datasets/draft/draft-workflow.js";
import { workflowIdsFor } from "../../../datasets/draft/workflow-ids.js";
import type { SourceMaterial, SourceText } from "../../../datasets/sources/parsed-source.js";
import { parseCatalog, requireProductionCatalog } from "../../../src/router/catalog/load.js";
import { assert, test } from "../../support/test.js";

const options = { name: "shop", owner: "support", tier: "medium", seed: 1 } as const;
const textsOf = (label: string | null, count: number): readonly SourceText[] =>
  Array.from({ length: count }, (_, i) => ({
    file: "tickets.csv",
    at: `line ${label ?? "none"} ${i}`,
    text: `${label ?? "something else"} request number ${i}`,
    label,
    part: null,
  }));
const parsedSource = (texts: readonly SourceText[], workflows: SourceMaterial["workflows"] = []): SourceMaterial => ({
  kind: "csv",
  texts,
  followUps: [],
  workflows,
  leftOut: [],
  decisions: [],
  warnings: [],
  columns: null,
  preview: null,
  sources: [{ file: "tickets.csv", sha256: "0".repeat(64), licence: null }],
  ids: new Map(),
});

test("every text becomes an example or a request, and none is both", () => {
  const texts = [...textsOf("cancelOrder", 12), ...textsOf("one-off", 1), ...textsOf("big", 500), ...textsOf(null, 7)];
  const { catalog, requests, labels, outOfScope } = draftProject(parsedSource(texts), options);
  const examples = catalog.workflows.flatMap((workflow) => workflow.examples ?? []);
  assert.is(examples.length + requests.length, texts.length);
  assert.is(new Set([...examples, ...requests.map(({ text }) => text)]).size, texts.length);
  assert.equal(labels, [
    { label: "big", workflowId: "big", examples: 10, heldOut: 490 },
    { label: "cancelOrder", workflowId: "cancel_order", examples: 4, heldOut: 8 },
    { label: "one-off", workflowId: "one-off", examples: 1, heldOut: 0 },
  ]);
  assert.is(outOfScope, 7);
});

test("where every text is used twice, the only text of a label is its example alone", () => {
  const texts = [...textsOf("big", 70), ...textsOf("small", 3), ...textsOf("one-off", 1)];
  const { everyText, requests, labels } = draftProject(parsedSource(texts), { ...options, everyText: true });
  assert.is(everyText, true);
  assert.is(requests.length, 73);
  assert.equal(labels, [
    { label: "big", workflowId: "big", examples: 50, heldOut: 70 },
    { label: "one-off", workflowId: "one-off", examples: 1, heldOut: 0 },
    { label: "small", workflowId: "small", examples: 3, heldOut: 3 },
  ]);
});

test("requests from several files of one archive have distinct ids, even with long paths", () => {
  const folder = "intents/".padEnd(200, "x");
  const texts = ["a", "b"].flatMap((name) =>
    textsOf(name, 4).map((text, index) => ({ ...text, file: `${folder}/${name}/en.json`, at: `phrase ${index + 1}` })),
  );
  const ids = draftProject(parsedSource(texts), options).requests.map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => id.length <= 160));
});

test("a few texts leave something to measure with", () => {
  assert.equal([0, 1, 2, 3, 5, 12, 25, 500].map(exampleCount), [0, 1, 1, 1, 2, 4, 10, 10]);
});

test("labels as other tools write them become ids, and ids that clash are numbered", () => {
  assert.equal(
    [
      ...workflowIdsFor([
        "CHECK_PINCODE",
        "checkPincode",
        "faq/opening hours",
        "delete /orders/{id}",
        "7",
        "Größe ändern",
        "退款",
      ]),
    ],
    [
      ["CHECK_PINCODE", "check_pincode"],
      ["checkPincode", "check_pincode_2"],
      ["faq/opening hours", "faq.opening_hours"],
      ["delete /orders/{id}", "delete.orders.id"],
      ["7", "workflow_7"],
      ["Größe ändern", "grosse_andern"],
      ["退款", "workflow_f1c91e1d"],
    ],
  );
});

test("the drafted file is a catalog for production that writes and asks, until a person says otherwise", () => {
  const inputs = [
    { name: "orderId", description: "Number of the order", required: true },
    { name: "note", description: "", required: false },
  ];
  const { catalog } = draftProject(
    parsedSource(textsOf("track", 5), [
      { label: "getOrder", description: "Look up one order by its number.", inputs, effect: "reads" },
    ]),
    options,
  );
  const yaml = catalogYaml(catalog);
  const parsed = parseCatalog(Buffer.from(yaml, "utf8"), "catalog.yaml");
  requireProductionCatalog(parsed);
  const [get, track] = parsed.workflows;
  assert.equal(
    [get?.side_effect, get?.confirmation, get?.required_inputs[0]?.name],
    ["read_only", "never", "order_id"],
  );
  assert.equal([track?.side_effect, track?.confirmation, track?.risk_tier], ["internal_write", "always", "medium"]);
  assert.match(yaml, /# owner {12}the team responsible for it/);
});

test("published parts: examples come from the training part alone", () => {
  const parts = textsOf("refund", 20).map((text, i) => ({
    ...text,
    part: i < 12 ? ("train" as const) : ("test" as const),
  }));
  const { catalog, requests } = draftProject(parsedSource(parts), options);
  assert.is(catalog.workflows[0]?.examples?.length, 10);
  assert.is(requests.filter((row) => row.slices?.["part"] === "test").length, 8);
});
