import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importRasa, withoutEntities } from "../../../datasets/importers/rasa.js";
import { throws } from "../../support/rejects.js";

const test = suite("datasets/importers/rasa");

const file = (content: string, name = "nlu.yml") => ({ file: name, bytes: Buffer.from(content) });
const training = `version: "3.1"
nlu:
- intent: book_flight
  examples: |
    - a flight to [Rome](city) please
    - from [Bonn]{"entity": "city", "role": "from"} to [Köln][{"entity": "city"}]

    - [tomorrow]
- synonym: Rome
  examples: |
    - Roma
- intent: faq/opening_hours
  examples:
  - text: |
      when do you open
    metadata: {sentiment: neutral}
  - are you open on [Sunday](day)
- intent: out_of_scope
  examples: |
    - tell me a joke
`;

test("entity marks become their plain text", () => {
  const cases: readonly (readonly [marked: string, plain: string])[] = [
    ["to [Rome](city)", "to Rome"],
    ["to [Rome](city:roma) and [Bonn](city)", "to Rome and Bonn"],
    ['[Rome]{"entity": "city", "value": "roma"}!', "Rome!"],
    ['[Rome][{"entity": "city"}, {"entity": "place"}]', "Rome"],
    ["[tomorrow] (or later)", "[tomorrow] (or later)"],
  ];
  for (const [marked, plain] of cases) assert.is(withoutEntities(marked), plain);
});

test("reads blocks and lists of examples; retrieval intents keep both names, and fallbacks are out of scope", () => {
  const { rows, catalog, sources } = importRasa([file(training)], { examplesPerWorkflow: 0 });
  assert.equal(
    rows.map((row) => [row.id, row.text, row.workflowId, row.slices?.["intent"]]),
    [
      ["rasa-5", "a flight to Rome please", "book_flight", "book_flight"],
      ["rasa-6", "from Bonn to Köln", "book_flight", "book_flight"],
      ["rasa-8", "[tomorrow]", "book_flight", "book_flight"],
      ["rasa-14", "when do you open", "faq.opening_hours", "faq/opening_hours"],
      ["rasa-17", "are you open on Sunday", "faq.opening_hours", "faq/opening_hours"],
      ["rasa-20", "tell me a joke", null, "out_of_scope"],
    ],
  );
  assert.equal(
    catalog?.workflows.map((workflow) => workflow.workflow_id),
    ["book_flight", "faq.opening_hours"],
  );
  assert.is(sources.length, 1);
});

test("the caller names the out-of-scope intents, and several files have ids of their own", () => {
  const other = file("nlu:\n- intent: chitchat\n  examples: |\n    - how are you\n", "chat.yml");
  const { rows } = importRasa([file(training), other], { examplesPerWorkflow: 0, outOfScopeValues: ["chitchat"] });
  assert.equal(
    rows.filter((row) => row.workflowId === null).map((row) => row.id),
    ["rasa-1-4"],
  );
  assert.ok(rows.some((row) => row.workflowId === "out_of_scope"));
});

test("an example without a text is a bad row of its line", () => {
  const content = "nlu:\n- intent: greet\n  examples: |\n    - hi\n    - \n    - hello\n";
  const { message } = throws(() => importRasa([file(content)]), "SCHEMA_INVALID");
  assert.match(message, "nlu.yml: line 5 column examples: found an empty text");
  assert.is(importRasa([file(content)], { maxBadRows: 1, examplesPerWorkflow: 0 }).rows.length, 2);
});

test("refuses files that are not YAML, and files without examples", () => {
  assert.match(throws(() => importRasa([file("nlu:\n- a: [secret\n")]), "SYNTAX_INVALID").message, /nlu\.yml: line \d/);
  throws(() => importRasa([file("stories: []\n")]), "DATASET_EMPTY");
});

test.run();
