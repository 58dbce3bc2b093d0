import fc from "fast-check";
import { packScores, unpackScores } from "../../../../src/router/scoring/packed-scores.js";
import { assert, test } from "../../../support/test.js";

const patterns = ["[0-9]+", "[a-z]+", "x"];
const number = fc.double({ noNaN: true });
const places = fc.uniqueArray(fc.nat(9_999), { maxLength: 9 });
const some = fc.subarray(patterns).map((list) => new Set(list));

test("scores are the same after they were packed", () => {
  fc.assert(
    fc.property(places, places, some, some, fc.boolean(), fc.nat(9), fc.infiniteStream(number), (...drawn) => {
      const [positions, ranking, absent, timedOut, textCut, pairsCut, numbers] = drawn;
      const next = (): number => Number(numbers.next().value);
      const scores = {
        positions,
        retrievalScores: positions.map(next),
        logits: positions.map(() => ({ mismatch: next(), needs_input: next(), executable: next() })),
        features: textCut ? null : Float32Array.from(positions),
        closing: textCut ? null : next(),
        newWish: textCut ? next() : null,
        encoded: textCut ? { vector: Float32Array.of(next(), next()), truncated: true } : null,
        patterns: { absent, timedOut },
        ranking,
        textCut,
        pairsCut,
        tookMs: { verify: next(), resolve: next() },
      };
      assert.equal(unpackScores(packScores(scores, patterns), patterns), scores);
    }),
  );
});
