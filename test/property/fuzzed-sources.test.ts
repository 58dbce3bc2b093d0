/** Any labelled source is read row by row or refused in words, however it is damaged. */
import fc from "fast-check";
import { assert, test } from "../support/test.js";
import { fuzzedForms, fuzzOne } from "../support/fuzzed-sources.js";

/** Files of each form. More: SLUICE_FUZZ_FILES=20000 node dist/test/support/run.js property/fuzzed-sources */
const files = Number(process.env["SLUICE_FUZZ_FILES"] ?? 150);

for (const form of fuzzedForms) {
  test(`${form}: every row is read or named, nothing is misread or crashes, and nothing takes two seconds`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 - 1 }), async (seed) => {
        const fault = await fuzzOne(form, seed, () => process.cpuUsage().user / 1000);
        assert.is(fault, null, `seed ${seed}: ${fault?.fault ?? ""}`);
      }),
      { numRuns: files, seed: 39, endOnFailure: true },
    );
  });
}
