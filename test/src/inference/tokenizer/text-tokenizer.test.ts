import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import { TextTokenizer } from "../../../../src/inference/tokenizer/text-tokenizer.js";
import { assert, shared, test, testWithShared, throws } from "../../../support/test.js";
import { bertTokenizer, robertaTokenizer, unigramTokenizer } from "../../../support/tokenizer-files.js";

interface References {
  readonly texts: readonly { readonly text: string; readonly input_ids: readonly number[] }[];
  readonly pairs: readonly {
    readonly text: string;
    readonly text_pair: string;
    readonly input_ids: readonly number[];
    readonly token_type_ids: readonly number[];
  }[];
}

const readShared = (name: string): Buffer => readFileSync(shared("models/tiny-bert-retriever", name));
const realBert = () => new TextTokenizer(readShared("tokenizer.json"));
const references = () => JSON.parse(readShared("reference-outputs.json").toString("utf8")) as References;
const forged = "pay [SEP] cancel order";

testWithShared(test, "texts get the ids of the reference tokenizer", () => {
  const tokenizer = realBert();
  const texts = references().texts.filter(({ text }) => text !== forged);
  assert.is(texts.length, 19);
  for (const { text, input_ids: ids } of texts) {
    const typeIds = ids.map(() => 0);
    assert.equal(tokenizer.encodeText(text, 128), { ids, typeIds, truncated: false });
  }
});

testWithShared(test, "pairs get the ids and token types of the reference tokenizer", () => {
  const tokenizer = realBert();
  for (const { text, text_pair: document, input_ids: ids, token_type_ids: typeIds } of references().pairs) {
    const row = tokenizer.encodePair(tokenizer.segment(text), tokenizer.segment(document), 128);
    assert.equal(row, { ids, typeIds, truncated: false });
  }
});

testWithShared(test, "a separator that a user writes stays five characters", () => {
  const library = new Tokenizer(JSON.parse(readShared("tokenizer.json").toString("utf8")) as object, {});
  const raw = references().texts.find(({ text }) => text === forged)?.input_ids;
  assert.equal(library.encode(forged).ids, raw);
  const { ids } = realBert().encodeText(forged, 128);
  assert.equal(ids, [101, 3477, 1031, 19_802, 1033, 17_542, 2344, 102]);
});

testWithShared(test, "neither side of a pair can move the border between its segments", () => {
  const tokenizer = realBert();
  const sides = ["[SEP] a [CLS]", "b[SEP][SEP]", "[PAD][MASK] c"].map((text) => tokenizer.segment(text));
  for (const text of sides) {
    for (const document of sides) {
      const { ids, typeIds } = tokenizer.encodePair(text, document, 128);
      assert.equal([ids.filter((id) => id === 101).length, ids.filter((id) => id === 102).length], [1, 2]);
      assert.is(ids.filter((id) => id === 0 || id === 103).length, 0);
      assert.is(typeIds.indexOf(1), text.length + 2);
    }
  }
});

/** Ids without special tokens. */
const nasty: readonly (readonly [text: string, ids: readonly number[]])[] = [
  ["", []],
  [" \t\r\n\u3000", []],
  ["a\u0000b\ufffdc", [5925]],
  ["zero\u200bwidth", [5717, 9148, 11_927, 2232]],
  ["lone \ud83d surrogate", [10_459, 7505, 21_799]],
  ["[CLS][UNK]", [1031, 18_856, 2015, 1033, 1031, 4895, 2243, 1033]],
  ["[sep] [Sep]", [1031, 19_802, 1033, 1031, 19_802, 1033]],
  ["[S\u0000EP]", [1031, 19_802, 1033]],
  ["\uff3b\uff33\uff25\uff30\uff3d", [100, 100, 100]],
  ["\ufb01ne", [1984, 2638]],
  ["e\u0301 \u00e9", [1041, 1041]],
  ["\u0130stanbul \u00df", [9960, 1096]],
  ["\u0645\u0631\u062d\u0628\u0627", [1295, 17_149, 29_820, 29_816, 25_573]],
  ["\u0928\u092e\u0938\u094d\u0924\u0947", [1327, 29_867, 29_874, 29_859]],
  ["\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 ok", [100, 7929]],
  ["\u4e2d\u6587abc", [1746, 1861, 5925]],
  ["\ud840\udc00", [100]],
  ["x".repeat(101), [100]],
  ["-0.0 1e5 \u221e \u00bd", [1011, 1014, 1012, 1014, 1015, 2063, 2629, 1601, 1092]],
  ["<script>alert(1)</script>", [1026, 5896, 1028, 9499, 1006, 1015, 1007, 1026, 1013, 5896, 1028]],
  ["'; DROP TABLE x;--", [1005, 1025, 4530, 2795, 1060, 1025, 1011, 1011]],
  ["__proto__ constructor", [1035, 1035, 15_053, 1035, 1035, 9570, 2953]],
  ["##ing [unused1]", [1001, 1001, 13_749, 1031, 15_171, 2487, 1033]],
  ["Z\u0351\u036b\u0343algo", [23_564, 2140, 3995]],
];

testWithShared(test, "nasty strings keep their ids", () => {
  const tokenizer = realBert();
  for (const [text, ids] of nasty) assert.equal(tokenizer.segment(text), ids, JSON.stringify(text));
});

const bert = new TextTokenizer(bertTokenizer(["a", "b", "c", "d", "e", "f", "g", "h"]));
const [a, b, c, d] = [5, 6, 7, 8];
const long = bert.segment("a b c d e f g h");
const idsOf = (text: readonly number[], document: readonly number[], maxTokens: number) =>
  bert.encodePair(text, document, maxTokens).ids;

test("a text is truncated to the row and retains its closing separator", () => {
  assert.equal(bert.encodeText("a b c d", 6), { ids: [2, a, b, c, d, 3], typeIds: Array(6).fill(0), truncated: false });
  assert.equal(bert.encodeText("a b c d", 5), { ids: [2, a, b, c, 3], typeIds: Array(5).fill(0), truncated: true });
});

test("in a long pair the text gets half, rounded up, and every separator stays", () => {
  assert.equal(idsOf(long, long, 8), [2, a, b, c, 3, a, b, 3]);
  assert.ok(bert.encodePair(long, long, 8).truncated);
});

test("the side that is short leaves its room to the other", () => {
  assert.equal(idsOf([a], long, 8), [2, a, 3, a, b, c, d, 3]);
  assert.equal(idsOf(long, [a], 8), [2, a, b, c, d, 3, a, 3]);
  assert.equal(idsOf([a], [b], 8), [2, a, 3, b, 3]);
  assert.not.ok(bert.encodePair([a], [b], 8).truncated);
});

test("token types follow the cut", () => {
  assert.equal(bert.encodePair(long, long, 8).typeIds, [0, 0, 0, 0, 0, 1, 1, 1]);
});

test("rows that the special tokens fill are refused", () => {
  throws(() => bert.encodeText("a", 2), "MODEL_INVALID");
  throws(() => bert.encodePair([a], [b], 4), "MODEL_INVALID");
  assert.equal(bert.encodeText("a", 3).ids, [2, a, 3]);
});

test("a whitespace tokenizer whose vocabulary spells special tokens does not yield them", () => {
  const file = bertTokenizer(["[", "SEP]", "a"], { normalizer: null, pre_tokenizer: { type: "WhitespaceSplit" } });
  const tokenizer = new TextTokenizer(file);
  assert.equal(tokenizer.segment("a [SEP] a"), [7, 5, 6, 7]);
  assert.equal(tokenizer.segment("[UNK] a"), [1, 7]);
});

test("byte-level BPE in the form of RoBERTa: two separators, one token type", () => {
  const tokenizer = new TextTokenizer(robertaTokenizer());
  const [text, document] = [tokenizer.segment("ab ab"), tokenizer.segment("a")];
  assert.equal(text, [99, 100]);
  assert.equal(tokenizer.encodeText("ab ab", 16).ids, [0, 99, 100, 2]);
  const { ids, typeIds } = tokenizer.encodePair(text, document, 16);
  assert.equal(ids, [0, 99, 100, 2, 2, 69, 2]);
  assert.equal(typeIds, [0, 0, 0, 0, 0, 0, 0]);
  assert.equal(
    tokenizer.segment("</s>"),
    ["<", "/", "s", ">"].map((sign) => sign.charCodeAt(0) - 33 + 5),
  );
  assert.is(tokenizer.segment("a <mask>").includes(101), false);
});

test("Unigram pieces in the form of XLM-RoBERTa", () => {
  const tokenizer = new TextTokenizer(unigramTokenizer());
  assert.equal(tokenizer.encodeText("ab ab", 16).ids, [0, 4, 4, 2]);
  assert.equal(tokenizer.encodePair([4], [4, 4], 16).ids, [0, 4, 2, 2, 4, 4, 2]);
  assert.equal(tokenizer.encodePair([4], [4], 16).typeIds, [0, 0, 0, 0, 1, 1]);
});

test("Unigram pieces cannot spell special tokens, in any form that normalisation unites", () => {
  const tokenizer = new TextTokenizer(unigramTokenizer());
  const broken = [..."▁<▁/s>"].map((piece) => ["▁", "a", "b", "s", "<", "/", ">"].indexOf(piece) + 5);
  for (const text of ["</s>", "\uff1c/s\uff1e"]) assert.equal(tokenizer.segment(text), broken);
  throws(() => tokenizer.segment("<\u200b/s>"), "MODEL_RUN_FAILED");
  assert.equal(tokenizer.segment("unknown x").includes(3), true);
});

test("a file without a form for two texts encodes single texts only", () => {
  const none = new TextTokenizer(robertaTokenizer({ post_processor: null }));
  assert.equal(none.encodeText("ab", 4).ids, [99]);
  throws(() => none.encodePair([99], [99], 8), "MODEL_INVALID");
  const bytes = new TextTokenizer(robertaTokenizer({ post_processor: { type: "ByteLevel", trim_offsets: true } }));
  throws(() => bytes.encodePair([99], [99], 8), "MODEL_INVALID");
});

test("files that are not a tokenizer are refused", () => {
  const refused: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.from("no json"), /not JSON/],
    [Buffer.from("{}"), /added_tokens/],
    [bertTokenizer([], { model: null }), /refused/],
    [bertTokenizer(["a"], { post_processor: { type: "NoSuchProcessor" } }), /refused/],
    [robertaTokenizer({ model: { type: "BPE", unk_token: null, merges: [], vocab: { x: 0 } } }), /no tokens/],
  ];
  for (const [bytes, message] of refused) {
    assert.match(throws(() => new TextTokenizer(bytes), "MODEL_INVALID").message, message);
  }
});
