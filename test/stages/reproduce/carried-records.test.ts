import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { requireNoTexts } from "../../../stages/reproduce/carried-records.js";
import { record } from "../../calibrate/synthetic-records.js";
import { assert, test, throws } from "../../support/test.js";

const texts = new Map([
  ["r-1", "Where is my order?"],
  ["r-2", "Recommend me a plan"],
  ["r-3", "cancel"],
]);
const rows = [...texts.keys()].map((id) => record(id, []));

test("ids, groups and slices that are names pass, also where a short text is a word of them", () => {
  const [first, second, third] = rows;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three records are expected");
  const named = [first, { ...second, slices: { plan: "me" } }, { ...third, cluster: "workflow:cancel_order" }];
  requireNoTexts(named, texts, []);
});

test("a text that is also a workflow id, or an example of the catalog, may be repeated", () => {
  const asked = new Map([
    ["q-1", "who made you?"],
    ["q-2", "Cancel my order"],
  ]);
  const labelled = [
    { ...record("q-1", []), cluster: "workflow:who_made_you", slices: { intent: "who_made_you" } },
    { ...record("q-2", []), slices: { example: "cancel my order" } },
  ];
  requireNoTexts(labelled, asked, ["who_made_you", "cancel my order"]);
  throws(() => requireNoTexts(labelled, asked, ["cancel my order"]), "RECORDS_HOLD_TEXT");
});

const leaks: readonly (readonly [string, Partial<ScoredRecord>])[] = [
  ["an id", { id: "r-1", cluster: "where-is-my-order" }],
  ["a slice", { id: "r-2", slices: { text: "2026: recommend me a plan, please" } }],
  ["the name of a slice", { id: "r-3", slices: { Cancel: "yes" } }],
  ["the text of another request", { id: "r-3", slices: { before: "where is my order" } }],
];
for (const [name, changes] of leaks) {
  test(`records that repeat a text in ${name} are refused, and the message does not repeat it`, () => {
    const leaking = rows.map((row) => (changes.id === row.id ? { ...row, ...changes } : row));
    const { message } = throws(() => requireNoTexts(leaking, texts, []), "RECORDS_HOLD_TEXT");
    assert.match(message, "1 of 3 scored records");
    assert.not.match(message, /order|plan|cancel/i);
  });
}
