import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importDialogflow } from "../../../datasets/importers/dialogflow.js";
import { throws } from "../../support/rejects.js";

const test = suite("datasets/importers/dialogflow");

const json = (file: string, value: unknown) => ({ file, bytes: Buffer.from(JSON.stringify(value)) });
const phrase = (...parts: readonly string[]) => ({
  data: parts.map((text) => ({ text, userDefined: false })),
  count: 0,
});

const flight = {
  intent: json("Book flight.json", { id: "1", name: "Book flight", auto: true, responses: [] }),
  phrases: json("Book flight_usersays_en.json", [phrase("a flight to ", "Rome", " please"), phrase("book")]),
};
const fallback = {
  intent: json("Default.json", { name: "Default Fallback Intent", fallbackIntent: true }),
  phrases: json("Default_usersays_en.json", [phrase("tell me a joke")]),
};
const welcome = { intent: json("Welcome.json", { name: "Welcome" }), phrases: null };

test("joins the parts of a phrase; fallback phrases are out of scope; an intent without phrases gives no row", () => {
  const { rows, catalog, sources } = importDialogflow([flight, fallback, welcome], { examplesPerWorkflow: 0 });
  assert.equal(
    rows.map((row) => [row.id, row.text, row.workflowId, row.slices?.["intent"]]),
    [
      ["dialogflow-0-0", "a flight to Rome please", "book_flight", "Book flight"],
      ["dialogflow-0-1", "book", "book_flight", "Book flight"],
      ["dialogflow-1-0", "tell me a joke", null, "Default Fallback Intent"],
    ],
  );
  assert.equal(
    catalog?.workflows.map((workflow) => workflow.workflow_id),
    ["book_flight"],
  );
  assert.is(sources.length, 5);
});

test("names file and phrase of what cannot be used, without the text", () => {
  const bad = { ...flight, phrases: json("f.json", [phrase("fine"), { data: "secret" }, phrase(" ")]) };
  const { message } = throws(() => importDialogflow([bad]), "SCHEMA_INVALID");
  assert.match(message, "f.json: phrase 1 column data: expected a list of parts");
  assert.match(message, "phrase 2 column data: found an empty text");
  assert.not.match(message, "secret");
  assert.is(importDialogflow([bad], { maxBadRows: 2, examplesPerWorkflow: 0 }).rows.length, 1);
});

test("refuses intents without a name, phrases that are no list, and agents without phrases", () => {
  throws(() => importDialogflow([{ ...flight, intent: json("x.json", {}) }]), "SCHEMA_INVALID");
  throws(() => importDialogflow([{ ...flight, phrases: json("x.json", {}) }]), "SCHEMA_INVALID");
  throws(() => importDialogflow([{ ...flight, phrases: { file: "x", bytes: Buffer.from("{") } }]), "SYNTAX_INVALID");
  throws(() => importDialogflow([welcome]), "DATASET_EMPTY");
});

test.run();
