import { importSource } from "../../../datasets/importers/source.js";
import type { SourceFile } from "../../../datasets/importers/imported-dataset.js";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { assert, rejects, test } from "../../support/test.js";

const text = (file: string, content: string): SourceFile => ({ file, bytes: Buffer.from(content) });
const json = (file: string, value: unknown): SourceFile => text(file, JSON.stringify(value));
const phrase = (...parts: readonly string[]) => ({ data: parts.map((part) => ({ text: part })) });
const choices = { ...defaultChoices, lookAlikes: "keep" } as const;

const agent = [
  json("intents/Book flight.json", { name: "Book flight" }),
  json("intents/Book flight_usersays_en.json", [phrase("a flight to ", "Rome", " please"), phrase("book")]),
  json("intents/Default.json", { name: "Default Fallback Intent", fallbackIntent: true }),
  json("intents/Default_usersays_en.json", [phrase("tell me a joke")]),
  json("intents/Welcome.json", { name: "Welcome" }),
];

test("a Dialogflow agent: parts are joined, fallback phrases are out of scope, an intent without phrases gives no row", async () => {
  const { rows, catalog, sources, workflowIds } = await importSource(agent, { choices, examplesPerWorkflow: 0 });
  assert.equal(
    rows.map((row) => [row.text, row.workflow_id, row.slices?.["intent"] ?? null]),
    [
      ["a flight to Rome please", "book_flight", "Book flight"],
      ["book", "book_flight", "Book flight"],
      ["tell me a joke", null, null],
    ],
  );
  assert.is(new Set(rows.map(({ id }) => id)).size, 3);
  assert.equal(
    catalog?.workflows.map((workflow) => workflow.workflow_id),
    ["book_flight"],
  );
  assert.equal([...(workflowIds ?? [])], [["Book flight", "book_flight"]]);
  assert.is(sources.length, 4);
});

test("what cannot be used is named by file and place, without the text", async () => {
  const bad = [
    agent[0] as SourceFile,
    json("intents/Book flight_usersays_en.json", [phrase("fine"), { data: "secret" }, phrase(" ")]),
  ];
  const { message } = await rejects(importSource(bad, { choices }), "DOCUMENT_INVALID");
  assert.is(
    message,
    "intents/Book flight_usersays_en.json: [1]: the text cell does not contain text; [2]: the text is empty",
  );
  assert.is((await importSource(bad, { choices, maxBadRows: 2, examplesPerWorkflow: 0 })).rows.length, 1);
});

test("a language without phrases is refused", async () => {
  await rejects(importSource(agent, { choices: { ...choices, language: "de" } }), "DOCUMENT_INVALID");
});

test("the caller names the out-of-scope intents of Rasa files", async () => {
  const files = [
    text(
      "nlu.yml",
      "nlu:\n- intent: greet\n  examples: |\n    - hi\n- intent: out_of_scope\n  examples: |\n    - a joke\n",
    ),
    text("chat.yml", "nlu:\n- intent: chitchat\n  examples: |\n    - how are you\n"),
  ];
  const own = await importSource(files, {
    choices: { ...choices, outOfScopeLabels: ["chitchat"] },
    examplesPerWorkflow: 0,
  });
  assert.equal(
    own.rows.filter((row) => row.workflow_id === null).map((row) => row.id),
    ["chat.yml:nlu[0].examples[0]"],
  );
  const usual = await importSource(files, { choices, examplesPerWorkflow: 0 });
  assert.equal(
    usual.rows.filter((row) => row.workflow_id === null).map((row) => row.text),
    ["a joke"],
  );
});

const intents = Array.from({ length: 12 }, (_, intent) => `intent_${intent}`);
const table = (rows: number): SourceFile =>
  text(
    "t.csv",
    `text,intent\n${intents.flatMap((name, i) => Array.from({ length: rows }, (_, row) => `words ${i} of ${row},${name}`)).join("\n")}\n`,
  );

test("tiers are not guessed: every drafted workflow gets the same tier, and counts as writing until a person changes it", async () => {
  const { catalog } = await importSource([table(12)], { choices });
  assert.equal(
    [...new Set(catalog?.workflows.map((w) => `${w.risk_tier} ${w.side_effect} ${w.confirmation}`))],
    ["medium internal_write always"],
  );
});

test("most rows stay requests, and an intent with few rows still has some to measure", async () => {
  const { rows, catalog } = await importSource([table(12)], { choices });
  assert.is(rows.length, 12 * 8);
  assert.equal([...new Set(catalog?.workflows.map(({ examples }) => examples?.length))], [4]);
  const few = await importSource([table(3)], { choices });
  assert.is(new Set(few.rows.map(({ workflow_id: workflowId }) => workflowId)).size, 12);
});

test("ids of an earlier import stay, even when new labels clash with them", async () => {
  const file = text("t.csv", "text,intent\na b c,Cancel Order\nd e f,cancelOrder\ng h i,CHECK_PINCODE\n");
  const first = await importSource([file], { choices });
  assert.equal(
    [...(first.workflowIds ?? [])],
    [
      ["CHECK_PINCODE", "check_pincode"],
      ["Cancel Order", "cancel_order"],
      ["cancelOrder", "cancel_order_2"],
    ],
  );
  const more = text("t.csv", "text,intent\nd e f,cancelOrder\nx y z,CANCEL ORDER\na b c,Cancel Order\n");
  const second = await importSource([more], { choices, knownIds: first.workflowIds ?? new Map() });
  assert.is(second.workflowIds?.get("cancelOrder"), "cancel_order_2");
  assert.is(second.workflowIds?.get("Cancel Order"), "cancel_order");
  assert.is(second.workflowIds?.get("CANCEL ORDER"), "cancel_order_3");
});
