import fc from "fast-check";
import { type KnownWords, Spelling } from "../../../../src/router/retrieval/spelling.js";
import { assert, test } from "../../../support/test.js";

const ranks: Readonly<Record<string, number>> = {
  transfer: 0.3,
  account: 0.4,
  statement: 0.1,
  cheque: 0.2,
  check: 0.5,
};
const knownWords = (table: Readonly<Record<string, number>>): KnownWords => ({
  lists: [Object.keys(table)],
  rankOf: (word) => table[word] ?? -1,
});
const known = knownWords(ranks);
const read = (spelling: Spelling, words: readonly string[]): readonly string[] => {
  const corrections = spelling.corrections(words);
  return words.map((word) => corrections.get(word) ?? word);
};
const corrected = (...words: readonly string[]): readonly string[] => read(new Spelling(known, 5), words);

const rows: readonly (readonly [slip: string, written: string, read: string])[] = [
  ["a missing letter", "tranfer", "transfer"],
  ["a letter too much", "accoount", "account"],
  ["a wrong letter", "statememt", "statement"],
  ["two letters exchanged", "acocunt", "account"],
  ["the first letter missing", "ccount", "account"],
  ["the last letter missing", "transfe", "transfer"],
  ["two slips stay", "trnsfr", "trnsfr"],
  ["a known word stays", "cheque", "cheque"],
  ["a word too short to judge stays", "chek", "chek"],
  ["digits stay", "acc0unt", "acc0unt"],
  ["other scripts stay", "счёт-а", "счёт-а"],
];
for (const [slip, written, meant] of rows) test(slip, () => assert.equal(corrected(written), [meant]));

test("among several known words the most frequent is chosen", () => {
  const near = knownWords({ charge: 0.2, change: 0.6, chance: 0.1 });
  assert.equal(read(new Spelling(near, 5), ["chage"]), ["change"]);
});

test("only the first unknown words of a text are examined, whatever was queried before", () => {
  const unknown = Array.from({ length: 16 }, (_, i) => `zzzzz${String.fromCharCode(97 + i)}`);
  const spelling = new Spelling(known, 5);
  assert.equal(read(spelling, [...unknown, "tranfer"]), [...unknown, "tranfer"]);
  assert.equal(read(spelling, [...unknown.slice(1), "tranfer"]), [...unknown.slice(1), "transfer"]);
  assert.equal(read(spelling, [...unknown, "tranfer"]).at(-1), "tranfer");
});

test("every slip of a word without neighbours resolves to that word", () => {
  const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");
  fc.assert(
    fc.property(fc.nat({ max: 7 }), letter, fc.constantFrom("drop", "add", "change", "exchange"), (at, other, slip) => {
      const word = "transfer";
      const [before, after] = [word.slice(0, at), word.slice(at)];
      const written = {
        drop: before + after.slice(1),
        add: before + other + after,
        change: before + other + after.slice(1),
        exchange: before + after.charAt(1) + after.charAt(0) + after.slice(2),
      }[slip];
      assert.equal(corrected(written), [word]);
    }),
  );
});
