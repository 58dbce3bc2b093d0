import { dropRepeated } from "../../datasets/repeated-field.js";
import { nearDuplicates } from "../../datasets/near-duplicates.js";
import { assert, test } from "../support/test.js";
import { aRequest } from "../support/score-cases.js";

test("keeps the first of rows that nearly repeat each other, whatever their labels", () => {
  const rows = [
    aRequest({ id: "a", text: "yes please book the table for two people" }),
    aRequest({ id: "b", text: "Yes please, book the table for two people!", workflow_id: "other" }),
    aRequest({ id: "c", text: "where is my parcel" }),
    aRequest({ id: "d", text: "yes please book the table for two people", workflow_id: null }),
  ];
  assert.equal(
    dropRepeated(rows).map((row) => row.id),
    ["a", "c"],
  );
});

test("a row stays when what it repeats was left out itself, and no pair is left at the end", () => {
  const words = Array.from({ length: 30 }, (_, i) => `w${i}`);
  const rows = Array.from({ length: 40 }, (_, i) =>
    aRequest({ id: `${i}`, text: words.slice(i % 10, (i % 10) + 16).join(" ") }),
  );
  const kept = dropRepeated(rows);
  assert.ok(kept.length > 1 && kept.length < 10);
  assert.is(kept[0]?.id, "0");
  assert.equal(nearDuplicates(kept.map((row) => row.text)), []);
});
