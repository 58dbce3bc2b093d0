import { deriveLabelOrder } from "../../../train/exports/derive-label-order.js";
import { missingText } from "../../../train/exports/derived.js";
import { assert, test } from "../../support/test.js";
import { exportOf } from "../../support/model-exports.js";

const named = (...names: readonly string[]) =>
  exportOf({ "config.json": { id2label: Object.fromEntries(names.map((name, index) => [index, name])) } });

function order(model = exportOf(), columns?: number, wanted?: readonly string[]): string {
  const derived = deriveLabelOrder(model, columns, wanted);
  return "missing" in derived ? missingText(derived) : `${derived.value.join()} from ${derived.source}`;
}

test("names of the labels give the order, whatever their case, spaces and hyphens", () => {
  assert.is(
    order(named("Mismatch", "Needs Input", "EXECUTABLE"), 3),
    "mismatch,needs_input,executable from config.json (id2label)",
  );
  assert.is(
    order(named("executable", "needs-input", "mismatch"), 3),
    "executable,needs_input,mismatch from config.json (id2label)",
  );
  assert.is(
    order(named("ENTAILMENT", "Neutral", "contradiction"), 3),
    "entailment,neutral,contradiction from config.json (id2label)",
  );
  assert.is(order(named("entailment", "not_entailment"), 2), "entailment,not_entailment from config.json (id2label)");
});

test("ten labels or more are read by number, not as texts", () => {
  const names = Array.from({ length: 11 }, (_, index) => `label ${index}`);
  assert.match(order(named(...names), 11), /label 9, label 10, which does not show/);
});

test("one column is a relevance score, whatever it is called", () => {
  assert.is(order(named("LABEL_0"), 1), "relevance from the output has one column");
  assert.is(order(exportOf({ "config.json": { num_labels: 1 } })), "relevance from config.json (num_labels 1)");
  assert.match(order(named("LABEL_0"), 1, ["entailment", "neutral"]), "but the output has one column");
});

test("names that say nothing are refused until the flag gives the order", () => {
  const numbered = named("LABEL_0", "LABEL_1", "LABEL_2");
  assert.is(
    order(numbered, 3),
    "config.json calls the labels LABEL_0, LABEL_1, LABEL_2, which does not show what they mean; give --label-order A,B,C",
  );
  assert.is(order(exportOf(), 3), "config.json does not name the labels; give --label-order A,B,C");
  assert.is(
    order(numbered, 3, ["executable", "mismatch", "needs_input"]),
    "executable,mismatch,needs_input from --label-order",
  );
});

test("an order that does not fit is answered with what does not fit, and the labels of the export", () => {
  const numbered = named("LABEL_0", "LABEL_1", "LABEL_2");
  assert.is(
    order(numbered, 3, ["entailment", "not_entailment"]),
    "--label-order names 2 columns, the output has 3, which config.json calls LABEL_0, LABEL_1, LABEL_2; " +
      "expected one of these in any order: mismatch, needs_input, executable; entailment, neutral, contradiction",
  );
  assert.is(
    order(named("LABEL_0"), 1, ["entailment", "neutral"]),
    "--label-order entailment,neutral, but the output has one column; expected --label-order relevance",
  );
  assert.is(
    order(named("entailment", "neutral", "contradiction"), 3, ["contradiction", "neutral", "entailment"]),
    "--label-order contradiction,neutral,entailment, but config.json says entailment,neutral,contradiction; " +
      "expected --label-order entailment,neutral,contradiction",
  );
});

test("the flag must fit the output and the known sets", () => {
  assert.match(order(exportOf(), 3, ["mismatch", "neutral", "relevance"]), "expected one of these in any order");
  assert.match(order(exportOf(), 3, ["mismatch", "mismatch", "executable"]), "expected one of these in any order");
});

test("an id2label that does not fit the output, its numbers or label2id is not trusted", () => {
  assert.is(
    order(named("entailment", "neutral", "contradiction"), 2),
    "config.json names 3 labels, the output has 2; give id2label with 2 labels in config.json",
  );
  const gap = exportOf({ "config.json": { id2label: { 0: "entailment", 2: "not_entailment" } } });
  assert.is(order(gap, 2), "config.json numbers its labels in two ways, or with gaps; give --label-order A,B,C");
  const swapped = exportOf({
    "config.json": {
      id2label: { 0: "entailment", 1: "not_entailment" },
      label2id: { entailment: 1, not_entailment: 0 },
    },
  });
  assert.is(order(swapped, 2), "config.json numbers its labels in two ways, or with gaps; give --label-order A,B,C");
});
