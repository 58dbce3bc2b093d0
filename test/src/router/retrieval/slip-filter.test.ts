import fc from "fast-check";
import { SlipFilter } from "../../../../src/router/retrieval/spelling.js";
import { assert, test } from "../../../support/test.js";

const letters = Array.from("abcdefghijklmnopqrstuvwxyz");

/** Every text that is one slip away, by definition. */
function slipsOf(word: string): readonly string[] {
  return Array.from({ length: word.length + 1 }, (_, i) => [word.slice(0, i), word.slice(i)] as const).flatMap(
    ([before, after]) => [
      ...letters.map((letter) => before + letter + after),
      ...(after === "" ? [] : [before + after.slice(1), ...letters.map((letter) => before + letter + after.slice(1))]),
      ...(after.length > 1 ? [before + after.charAt(1) + after.charAt(0) + after.slice(2)] : []),
    ],
  );
}

const words = fc.string({ unit: fc.constantFrom(..."abcz"), minLength: 1, maxLength: 12 });

test("a known text that is one slip away is never missed, and the first of them comes first", () => {
  fc.assert(
    fc.property(words, fc.array(words, { maxLength: 40 }), fc.nat(), (word, others, pick) => {
      const slips = slipsOf(word);
      const known = new Set([...others, slips[pick % slips.length] ?? word]);
      const found = new SlipFilter(known).candidates(word);
      const read = (texts: readonly string[]): readonly string[] =>
        [...new Set(texts)].filter((text) => known.has(text));
      assert.equal(read(found), read(slips));
    }),
  );
});

test("every candidate is one slip away, and few of them are unknown", () => {
  const known = Array.from({ length: 5000 }, (_, i) => `word${letters[i % 26]}${letters[Math.floor(i / 26) % 26]}x`);
  const filter = new SlipFilter(known);
  const slips = new Set(slipsOf("transfer"));
  const found = filter.candidates("transfer");
  for (const text of found) assert.ok(slips.has(text), text);
  assert.ok(found.length < slips.size / 4, `${found.length} of ${slips.size} slips are candidates`);
});

test("exchanged letters are a candidate where that word is known, and without known words there is none", () => {
  assert.ok(new SlipFilter(["ba"]).candidates("ab").includes("ba"));
  assert.equal(new SlipFilter([]).candidates("ab"), []);
});
