import { textOf } from "../../../src/base/invocation.js";
import { defaultChoices, type LabelChoices } from "../../../datasets/sources/choices.js";
import { settleLabels } from "../../../datasets/sources/labels.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import { assert, pluck, test } from "../../support/test.js";

const settle = (labels: readonly string[], choices: Partial<LabelChoices> = {}) =>
  settleLabels(
    labels.map((label, row) => ({ file: "t.csv", at: `line ${row}`, text: `text ${row}`, label, part: null })),
    { ...defaultChoices, ...choices },
  );
const kept = (labels: readonly string[], choices: Partial<LabelChoices> = {}) =>
  settle(labels, choices).texts.map(({ label }) => label);

test("placeholders are no labels: their rows are left out and counted", () => {
  const placeholders = [
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "NULL",
    "null",
    "-",
    "--",
    "?",
    "#N/A",
    "#REF!",
    "<NA>",
    "(blank)",
    "undefined",
    "TBD",
  ];
  const { texts, leftOut, decisions } = settle([...placeholders, "pay"]);
  assert.equal(pluck(texts, "label"), ["pay"]);
  assert.is(leftOut.filter(({ reason }) => reason === "placeholder").length, placeholders.length);
  assert.match(decisions.join(" "), `${placeholders.length} rows have a placeholder instead of a label`);
});

test("out-of-scope words count as a whole and as a part of a hierarchy", () => {
  const outside = [
    "out_of_scope",
    "OutOfScope",
    "out-of-scope",
    "out_of_scope/other",
    "chat.out_of_scope",
    "out_of_scope_spanish",
    "oos",
    "OOS/far",
    "None",
    "nlu_fallback",
    "AMAZON.FallbackIntent",
    "Default Fallback Intent",
  ];
  assert.equal(
    kept(outside),
    outside.map(() => null),
  );
  assert.equal(kept(["scope", "faq/none_of_us", "phone", "pay/none"]), [
    "scope",
    "faq/none_of_us",
    "phone",
    "pay/none",
  ]);
  assert.equal(kept(["chitchat/joke"], { outOfScopeLabels: ["chitchat"] }), [null]);
});

test("rows with several labels are counted and follow the rule; a label that never stands alone is a tag", () => {
  const labels = ["pay", "fetch", "pay|fetch", "pay|pay", "pay"];
  const { texts, leftOut, decisions } = settle(labels);
  assert.equal(pluck(texts, "label"), ["pay", "fetch", "pay", "pay"]);
  assert.equal(leftOut, [{ file: "t.csv", at: "line 2", reason: "several_labels" }]);
  assert.match(decisions.join(" "), "1 row has several labels: left out. --several-labels first uses the first.");
  assert.match(decisions.join(" "), "1 row names its label twice: it counts once.");
  assert.equal(kept(labels, { severalLabels: "first" }), ["pay", "fetch", "pay", "pay", "pay"]);
  assert.equal(kept(["pay", "fetch", "pay\u001furgent"]), ["pay", "fetch", "pay"]);
  assert.equal(kept(["R&B", "C++", "C#", "a+b"]), ["R&B", "C++", "C#", "a+b"]);
});

test("labels that differ only in case, separators and trailing zeros are one, in the most frequent spelling", () => {
  assert.equal(new Set(kept(["pay_fee", "Pay Fee", "PAY-FEE", "payFee", "pay_fee"])), new Set(["pay_fee"]));
  assert.equal(new Set(kept(["A>B", "A > B", "A/B"])), new Set(["A>B"]));
  assert.equal(kept(["0", "0.0", "1"]), ["0", "0", "1"]);
  assert.equal(kept(["C", "C++", "C#", "-1", "1"]), ["C", "C++", "C#", "-1", "1"]);
  assert.equal(new Set(kept(["Interlibrary loan", "Inter-library Loan"])).size, 1);
  assert.equal(new Set(kept(["Opening Hours", "openinghours"])).size, 1);
  assert.equal(kept(["v1.2", "v12", "step 1-1", "step 11"]), ["v1.2", "v12", "step 1-1", "step 11"]);
  assert.equal(kept(["pay_fee", "Pay Fee"], { lookAlikes: "keep" }), ["pay_fee", "Pay Fee"]);
});

const known = (...lines: readonly (readonly [label: string, id: string])[]) =>
  new Map(lines.map(([label, id]) => [label, id as WorkflowId]));

test("labels with one known id are one workflow, in the most frequent spelling", () => {
  const knownIds = known(["Gone", "pay"], ["Fee", "pay"], ["Payment", "pay"], ["Refund", "refund_money"]);
  const { texts, ids, decisions } = settle(["Payment", "Fee", "Fee", "refund", "refund", "Refund"], { knownIds });
  assert.equal(pluck(texts, "label"), ["Fee", "Fee", "Fee", "refund", "refund", "refund"]);
  assert.equal(ids, known(["Fee", "pay"], ["refund", "refund_money"]));
  assert.equal(decisions, [
    '"Payment" and "Fee" have the id "pay": they are merged into one workflow.',
    '"refund" is also written "Refund"; they are merged into one workflow.',
  ]);
});

test("an id given to one spelling holds for all that look like it, or like the id, or like another label with it", () => {
  const labels = ["Lab result", "Lab results", "lab_results", "Lab Results", "Lab Results"];
  for (const knownIds of [
    known(["Lab result", "lab_results"]),
    known(["Lab result", "lab_results"], ["Lab Results", "lab_results"]),
    known(["Lab result", "labs"], ["lab_results", "labs"], ["Lab Results", "lab_results_2"]),
  ]) {
    const { texts, ids, decisions } = settle(labels, { knownIds });
    assert.equal(new Set(texts.map(({ label }) => label)), new Set(["Lab Results"]));
    assert.equal([...ids.values()], [knownIds.get("Lab result")]);
    assert.is(decisions.length, 1);
  }
  const knownIds = known(["Lab result", "labs"], ["Lab results", "labs"]);
  assert.equal(new Set(kept(labels, { knownIds, lookAlikes: "keep" })).size, 3, "keep merges only what the ids name");
});

test("bare numbers and labels for everything else are pointed out", () => {
  assert.match(textOf(settle(["0", "1"]).warnings[0] ?? ""), /only numbers.*workflow-ids\.csv/);
  assert.match(textOf(settle(["pay", "other"]).warnings[0] ?? ""), "--out-of-scope-label other");
  const catchAll = settle(["pay", "Misc", "fetch", "Spam", "other/none", "junk mail", "Other or n/a"]).warnings;
  assert.equal(
    catchAll.map((warning) => textOf(warning)),
    [
      'requests are routed to "Misc", "Spam", "other/none", "junk mail", "Other or n/a". If they mean out of scope: ' +
        "sluice init FILE --out-of-scope-label Misc --out-of-scope-label Spam --out-of-scope-label other/none " +
        "--out-of-scope-label 'junk mail' --out-of-scope-label 'Other or n/a'",
    ],
  );
  const choices = { outOfScopeLabels: [...defaultChoices.outOfScopeLabels, "other/none", "Other or n/a"] };
  assert.equal(kept(["pay", "other/none", "Other or n/a"], choices), ["pay", null, null]);
  const nothingFits = ["General / not ours", "General enquiries", "not_ours", "Nothing fits", "Other / unclear"];
  const suspected = textOf(settle(["pay", ...nothingFits]).warnings[0] ?? "");
  for (const label of nothingFits) assert.match(suspected, label);
  const workflows = ["pay", "fetch", "not delivered", "mail or email", "other address", "General ledger", "above"];
  assert.equal(settle([...workflows, "unknown charge", "questions of the day"]).warnings, []);
});
