import * as fc from "fast-check";
import { type VerifierColumn, verifierColumns } from "../../../../src/documents/choices.js";
import { matchLogit } from "../../../../src/router/policy/apply-calibration.js";
import { labelMapping } from "../../../../src/router/verification/label-mapping.js";
import { assert, test, throws } from "../../../support/test.js";

const labels: readonly VerifierColumn[] = ["mismatch", "needs_input", "executable"];
const nliOfThree: readonly VerifierColumn[] = ["entailment", "neutral", "contradiction"];
const nliOfTwo: readonly VerifierColumn[] = ["entailment", "not_entailment"];
const relevance: readonly VerifierColumn[] = ["relevance"];
const allowed = [labels, nliOfThree, nliOfTwo, relevance];

const logits = (order: readonly VerifierColumn[], row: readonly number[]) =>
  labelMapping(order).logits(Float32Array.from(row));

test("three labels are read as they are, in any order", () => {
  const expected = { mismatch: 1, needs_input: 2, executable: 3 };
  assert.equal(logits(["mismatch", "needs_input", "executable"], [1, 2, 3]), expected);
  assert.equal(logits(["executable", "mismatch", "needs_input"], [3, 1, 2]), expected);
});

test("entailment is the match; neutral and contradiction together are the mismatch", () => {
  const {
    mismatch,
    needs_input: needsInput,
    executable,
  } = logits(["contradiction", "entailment", "neutral"], [0, 2, 1]);
  assert.ok(Math.abs(mismatch - Math.log(Math.exp(0) + Math.exp(1))) < 1e-12);
  assert.is(needsInput, 2 - Math.LN2);
  assert.is(executable, needsInput);
});

test("an order of two has one mismatch", () => {
  assert.equal(logits(["not_entailment", "entailment"], [5, -1]), {
    mismatch: 5,
    needs_input: -1 - Math.LN2,
    executable: -1 - Math.LN2,
  });
});

test("a relevance logit is compared with 0", () => {
  assert.equal(logits(relevance, [4]), { mismatch: 0, needs_input: 4 - Math.LN2, executable: 4 - Math.LN2 });
});

/** Logits as models give them: finite float32, not beyond what their sums can hold. */
const logit = fc.float({ min: -500, max: 500, noNaN: true });
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b));

test("the match logit is the log odds of the model", () => {
  fc.assert(
    fc.property(logit, logit, logit, (match, second, third) => {
      assert.ok(close(matchLogit(logits(relevance, [match])), match));
      assert.ok(close(matchLogit(logits(nliOfTwo, [match, second])), match - second));
      const rest = Math.max(second, third) + Math.log1p(Math.exp(-Math.abs(second - third)));
      assert.ok(close(matchLogit(logits(nliOfThree, [match, second, third])), match - rest));
    }),
  );
});

test("the three probabilities are those of the model, with the match shared in halves", () => {
  fc.assert(
    fc.property(fc.tuple(logit, logit, logit), ([entailment, neutral, contradiction]) => {
      const found = logits(nliOfThree, [entailment, neutral, contradiction]);
      const largest = Math.max(entailment, neutral, contradiction);
      const weight = (value: number): number => Math.exp(value - largest);
      const total = weight(entailment) + weight(neutral) + weight(contradiction);
      const share = (value: number): number =>
        weight(value) / (weight(found.mismatch) + weight(found.needs_input) + weight(found.executable));
      assert.ok(close(share(found.mismatch), (weight(neutral) + weight(contradiction)) / total));
      assert.ok(close(share(found.needs_input) + share(found.executable), weight(entailment) / total));
      assert.is(found.needs_input, found.executable);
    }),
  );
});

test("scores that the graph made probabilities are read as the logits that they came from", () => {
  fc.assert(
    fc.property(fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -10, max: 10, noNaN: true }))), (row) => {
      const raw = matchLogit(logits(nliOfThree, row));
      const weights = row.map(Math.exp);
      const softmax = weights.map((weight) => weight / weights.reduce((sum, one) => sum + one, 0));
      const read = labelMapping(nliOfThree, "softmax").logits(Float32Array.from(softmax));
      assert.ok(Math.abs(matchLogit(read) - raw) < 1e-4);
      const sigmoid = Float32Array.of(1 / (1 + Math.exp(-(row[0] ?? 0))));
      const relevant = matchLogit(labelMapping(relevance, "sigmoid").logits(sigmoid));
      assert.ok(Math.abs(relevant - (row[0] ?? 0)) < 2e-3);
    }),
  );
});

test("certain probabilities have finite logits, and what is no probability is refused", () => {
  for (const value of [0, 1]) {
    assert.ok(Number.isFinite(matchLogit(labelMapping(relevance, "sigmoid").logits(Float32Array.of(value)))));
    const row = Float32Array.of(value, 1 - value);
    assert.ok(Number.isFinite(matchLogit(labelMapping(nliOfTwo, "softmax").logits(row))));
  }
  throws(() => labelMapping(relevance, "sigmoid").logits(Float32Array.of(1.7)), "MODEL_RUN_FAILED");
  throws(() => labelMapping(relevance, "softmax"), "MODEL_INVALID");
});

test("the order of the columns never matters, only their names", () => {
  const shuffled = fc
    .constantFrom(...allowed)
    .chain((set) =>
      fc.tuple(
        fc.shuffledSubarray([...set], { minLength: set.length }),
        fc.record(Object.fromEntries(set.map((column) => [column, logit]))),
        fc.constant(set),
      ),
    );
  fc.assert(
    fc.property(shuffled, ([order, values, set]) => {
      const row = (columns: readonly VerifierColumn[]): number[] => columns.map((column) => values[column] ?? 0);
      assert.equal(logits(order, row(order)), logits(set, row(set)));
    }),
  );
});

test("a higher match and a lower mismatch never lower the match logit", () => {
  fc.assert(
    fc.property(logit, logit, logit, fc.float({ min: 0, max: 100, noNaN: true }), (match, a, b, more) => {
      for (const [better, worse] of [
        [logits(nliOfThree, [match + more, a, b]), logits(nliOfThree, [match, a, b])],
        [logits(nliOfThree, [match, a, b]), logits(nliOfThree, [match, a + more, b])],
        [logits(labels, [a, match, b + more]), logits(labels, [a, match, b])],
      ] as const) {
        assert.ok(matchLogit(better) >= matchLogit(worse) - 1e-9);
      }
    }),
  );
});

const refused: readonly (readonly [name: string, order: readonly VerifierColumn[]])[] = [
  ["a repeated label", ["mismatch", "mismatch", "executable"]],
  ["a missing label", ["mismatch", "executable"]],
  ["a mixture", ["mismatch", "neutral", "entailment"]],
  ["entailment alone", ["entailment"]],
  ["two kinds of mismatch", ["entailment", "not_entailment", "contradiction"]],
  ["relevance next to another column", ["relevance", "mismatch"]],
  ["nothing", []],
];

for (const [name, order] of refused) {
  test(`${name} is refused with what was found and what is allowed`, () => {
    const error = throws(() => labelMapping(order), "MODEL_INVALID");
    assert.ok(error.message.includes(`label_order is [${order.join(", ")}]`));
    for (const columns of allowed) assert.ok(error.message.includes(`[${columns.join(", ")}]`));
  });
}

test("exactly the orders of the four sets are accepted", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...verifierColumns), { maxLength: 3 }), (order) => {
      const isAllowed = allowed.some((set) => [...set].sort().join() === [...order].sort().join());
      if (isAllowed) assert.is(labelMapping(order).columns, order.length);
      else throws(() => labelMapping(order), "MODEL_INVALID");
    }),
    { numRuns: 300 },
  );
});
