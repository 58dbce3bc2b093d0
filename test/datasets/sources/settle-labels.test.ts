import { suite } from "uvu";
import * as assert from "uvu/assert";
import { settleLabels } from "../../../datasets/sources/settle-labels.js";

const test = suite("datasets/sources/settle-labels");

const settle = (...labels: readonly string[]) =>
  settleLabels(labels.map((label, index) => ({ text: `text ${index}`, label, at: `line ${index}` }) as never));

test("labels that read alike are named with the characters that differ, and stay two workflows", () => {
  const { texts, decisions } = settle("refund", "refund\u200b", "r\u0435fund", "invoice");
  assert.is(new Set(texts.map(({ label }) => label)).size, 4);
  assert.equal(decisions, [
    '"refund" (plain Latin) and "refund\u200b" (U+200B) and "r\u0435fund" (U+0435) read alike, but are different labels: two workflows. Correct the source if one was meant.',
  ]);
});

test("labels of one script that look different are not named", () => {
  assert.equal(settle("оплата", "возврат", "plata", "退款").decisions, []);
});

test.run();
