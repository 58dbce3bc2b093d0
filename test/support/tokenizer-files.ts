/** Small `tokenizer.json` files of the three usual families. */

interface Added {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  readonly lstrip?: boolean;
}

const special = (content: string, id: number): Added => ({ id, content, special: true });
const json = (file: object): Buffer => Buffer.from(JSON.stringify({ version: "1.0", decoder: null, ...file }), "utf8");
const positions = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(words.map((word, id) => [word, id]));

export const bertSpecials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] as const;

const template = (first: string, last: string, between: readonly string[]) => {
  const token = (id: string, type: number) => ({ SpecialToken: { id, type_id: type } });
  const segment = (id: "A" | "B", type: number) => ({ Sequence: { id, type_id: type } });
  const head = [token(first, 0), segment("A", 0)];
  return {
    type: "TemplateProcessing",
    single: [...head, token(last, 0)],
    pair: [...head, ...between.map((id) => token(id, 0)), segment("B", 1), token(last, 1)],
    special_tokens: {},
  };
};

/** WordPiece: [PAD] [UNK] [CLS] [SEP] [MASK] are 0 to 4, the words follow. */
export function bertTokenizer(words: readonly string[], overrides: object = {}): Buffer {
  return json({
    added_tokens: bertSpecials.map(special),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: template("[CLS]", "[SEP]", ["[SEP]"]),
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      vocab: positions([...bertSpecials, ...words]),
    },
    ...overrides,
  });
}

const ascii = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

/** Byte-level BPE: <s> <pad> </s> <unk> are 0 to 3, "Ġ" (space) 4, the ASCII characters from 5; two merges. */
export function robertaTokenizer(overrides: object = {}): Buffer {
  const vocabulary = ["<s>", "<pad>", "</s>", "<unk>", "Ġ", ...ascii, "ab", "Ġab"];
  return json({
    added_tokens: [
      ...["<s>", "<pad>", "</s>", "<unk>"].map(special),
      { ...special("<mask>", vocabulary.length), lstrip: true },
    ],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true },
    post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0], add_prefix_space: false },
    model: { type: "BPE", unk_token: null, merges: ["a b", "Ġ ab"], vocab: positions(vocabulary) },
    ...overrides,
  });
}

/** SentencePiece (Unigram) as in XLM-RoBERTa: <s> <pad> </s> <unk> are 0 to 3; two separators between segments. */
export function unigramTokenizer(overrides: object = {}): Buffer {
  const characters = ["▁", "a", "b", "s", "<", "/", ">"];
  const pieces = [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁ab", -1], ...characters.map((c) => [c, -3])];
  return json({
    added_tokens: ["<s>", "<pad>", "</s>", "<unk>"].map(special),
    normalizer: {
      type: "Sequence",
      normalizers: [{ type: "NFKC" }, { type: "Replace", pattern: { String: "\u200b" }, content: "" }],
    },
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always" },
    post_processor: template("<s>", "</s>", ["</s>", "</s>"]),
    model: { type: "Unigram", unk_id: 3, vocab: pieces },
    ...overrides,
  });
}
