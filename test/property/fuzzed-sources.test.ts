/** Any labelled source is read row by row or refused in words, however it is damaged. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fuzzedForms, fuzzOne } from "../support/fuzzed-sources.js";

const test = suite("property/fuzzed-sources");

/** `bench/fuzz-sources` reads 20,000 of each form. */
const files = 60;

for (const form of fuzzedForms) {
  test(`${form}: every row is read or named, nothing crashes, and nothing takes two seconds`, async () => {
    for (let seed = 1; seed <= files; seed += 1) {
      const fault = await fuzzOne(form, seed, () => performance.now());
      assert.is(fault, null, `seed ${seed}: ${fault?.fault ?? ""}`);
    }
  });
}

test.run();
