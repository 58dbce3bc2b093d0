import { Tokenizer } from "@huggingface/tokenizers";
import { Unigram } from "../../../../src/inference/tokenizer/unigram.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../../support/test.js";

const characters = ["a", "b", "ß", "字", "\u{20000}", "\u{20001}", "z"];
const random = seededRandom(7);
const spell = (most: number): string =>
  Array.from({ length: random.integer(1, most) }, () => characters[random.integer(0, characters.length - 1)]).join("");

/** Random pieces, none of which has the last character. The mark of a word is only at the beginning of one. */
function model(pieces: number) {
  const mark = (): string => (random.uniform() < 0.3 ? "▁" : "");
  const spelled = Array.from({ length: pieces }, () => mark() + spell(4)).filter((piece) => !piece.includes("z"));
  const vocab = [["<unk>", 0], ...[...new Set(spelled)].map((piece) => [piece, -12 * random.uniform()])] as const;
  return { type: "Unigram", unk_id: 0, vocab: vocab as readonly (readonly [string, number])[] } as const;
}

test("words are cut as by the tokenizer library, with unknown characters and ones of two code units", () => {
  for (const pieces of [1, 10, 40, 200]) {
    const file = model(pieces);
    const none = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, added_tokens: [] };
    const library = new Tokenizer({ ...none, model: file }, {});
    const own = new Unigram(file);
    for (let i = 0; i < 300; i += 1) {
      const words = Array.from({ length: random.integer(1, 4) }, () => `▁${spell(12)}`);
      const ids = library.model([...words]).map((piece: string) => library.model.tokens_to_ids.get(piece) ?? 0);
      assert.equal(own.idsOf(words), ids, words.join(" "));
    }
  }
});

test("no words have no pieces", () => {
  assert.equal(new Unigram(model(3)).idsOf([]), []);
  assert.equal(new Unigram(model(3)).idsOf([""]), []);
});
