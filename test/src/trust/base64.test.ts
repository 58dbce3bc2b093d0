import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeBase64 } from "../../../src/trust/base64.js";
import { throws } from "../../support/rejects.js";

const test = suite("src/trust/base64");

test("both alphabets are read, padded or not", () => {
  for (const text of ["+/8=", "+/8", "-_8=", "-_8"]) {
    assert.is(decodeBase64(text, "value").toString("hex"), "fbff", text);
  }
  assert.is(decodeBase64("", "value").length, 0);
});

for (const text of ["+/9=", "+_8=", "+/8==", "+/ 8", "+/8\n", "A", "AA=", "AAA===", "=", "AA*A", "AA==AA=="]) {
  test(`${JSON.stringify(text)} is refused`, () => {
    throws(() => decodeBase64(text, "value"), "NOT_CANONICAL");
  });
}

test.run();
