import { lookAlikes } from "../../../datasets/sources/look-alikes.js";
import { assert, test } from "../../support/test.js";

test("labels that read alike are named with the characters that differ", () => {
  assert.equal(lookAlikes(["refund", "refund\u200b", "r\u0435fund", "invoice"]), [
    '"refund" (plain Latin) and "refund\u200b" (U+200B) and "r\u0435fund" (U+0435) look the same but are different labels, so they become different workflows. Correct the source if they should be one.',
  ]);
});

test("labels of one script that look different are not named", () => {
  assert.equal(lookAlikes(["оплата", "возврат", "plata", "退款"]), []);
});
