import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readRasaTraining, withoutEntities } from "../../../../datasets/sources/intents/rasa-examples.js";
import { throws } from "../../../support/rejects.js";

const test = suite("datasets/sources/intents/rasa-examples");

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

test("reads blocks and lists of examples with their lines; synonyms are passed over", () => {
  assert.equal(
    readRasaTraining("nlu.yml", training).examples.map(({ line, intent, text }) => [line, intent, text]),
    [
      [5, "book_flight", "a flight to Rome please"],
      [6, "book_flight", "from Bonn to Köln"],
      [8, "book_flight", "[tomorrow]"],
      [14, "faq/opening_hours", "when do you open"],
      [17, "faq/opening_hours", "are you open on Sunday"],
      [20, "out_of_scope", "tell me a joke"],
    ],
  );
});

test("refuses a file that is not YAML with its line, and finds nothing in one without intents", () => {
  const broken = () => readRasaTraining("nlu.yml", "nlu:\n- a: [secret\n");
  assert.match(throws(broken, "SYNTAX_INVALID").message, /nlu\.yml: line \d/);
  assert.equal(readRasaTraining("stories.yml", "stories: []\n"), { examples: [], others: [] });
});

test.run();
