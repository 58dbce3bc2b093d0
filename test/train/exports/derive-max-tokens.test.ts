import { deriveMaxTokens, positionLimit } from "../../../train/exports/derive-max-tokens.js";
import { missingText } from "../../../train/exports/derived.js";
import { assert, test } from "../../support/test.js";
import { exportOf } from "../../support/model-exports.js";

function tokens(files: Readonly<Record<string, unknown>>, wanted?: number): string {
  const derived = deriveMaxTokens(exportOf(files), wanted);
  return "missing" in derived ? missingText(derived) : `${derived.value} from ${derived.source}`;
}

const bert = { "config.json": { model_type: "bert", max_position_embeddings: 512, pad_token_id: 0 } };

test("the smallest limit that the files name counts", () => {
  assert.is(tokens(bert), "512 from config.json (max_position_embeddings)");
  const shorter = { ...bert, "tokenizer_config.json": { model_max_length: 256 } };
  assert.is(tokens(shorter), "256 from tokenizer_config.json (model_max_length)");
  const shortest = { ...shorter, "sentence_bert_config.json": { max_seq_length: 128 } };
  assert.is(tokens(shortest), "128 from sentence_bert_config.json (max_seq_length)");
});

test("an encoder whose own limit was not exported has an assumed one, no longer than its tokenizer cuts", () => {
  const assumed = (tokenizer: unknown, more: object = {}) => {
    const files = { ...bert, "tokenizer.json": tokenizer, "tokenizer_config.json": { model_max_length: 512 }, ...more };
    const derived = deriveMaxTokens(exportOf(files), undefined, "retriever");
    return "missing" in derived ? missingText(derived) : `${derived.value} from ${derived.source}`;
  };
  const lacks = "sentence_bert_config.json, which may state less, is missing";
  assert.is(assumed({}), `512 from assumed: tokenizer_config.json (model_max_length); ${lacks}`);
  assert.is(assumed({ truncation: { max_length: 128 } }), `128 from assumed: tokenizer.json (truncation); ${lacks}`);
  const own = { "sentence_bert_config.json": { max_seq_length: 256 } };
  assert.is(assumed({ truncation: { max_length: 128 } }, own), "256 from sentence_bert_config.json (max_seq_length)");
});

test("the huge number of a tokenizer without a limit is none", () => {
  assert.is(
    tokens({ ...bert, "tokenizer_config.json": { model_max_length: 1e30 } }),
    "512 from config.json (max_position_embeddings)",
  );
  const open = { "tokenizer_config.json": { model_max_length: 1000000000000000019884624838656 } };
  assert.is(tokens(open), "no file of the export names a limit of tokens; give --max-tokens COUNT");
  assert.is(tokens(open, 64), "64 from --max-tokens");
});

test("positions of RoBERTa and its relatives begin after the padding token", () => {
  const roberta = exportOf({
    "config.json": { model_type: "xlm-roberta", max_position_embeddings: 514, pad_token_id: 1 },
  });
  assert.is(positionLimit(roberta)?.tokens, 512);
  const mpnet = exportOf({ "config.json": { model_type: "mpnet", max_position_embeddings: 514 } });
  assert.is(positionLimit(mpnet)?.tokens, 512);
  assert.is(positionLimit(exportOf({ "config.json": { max_position_embeddings: -1 } })), undefined);
});

test("the truncation that an export happened to use is no limit", () => {
  assert.is(
    tokens({ ...bert, "tokenizer.json": { truncation: { max_length: 128 } } }),
    "512 from config.json (max_position_embeddings)",
  );
});

test("the flag lowers the limit and never raises it", () => {
  assert.is(tokens(bert, 128), "128 from --max-tokens");
  assert.is(tokens(bert, 513), "--max-tokens 513; expected 8 to 512 of config.json (max_position_embeddings)");
  assert.is(tokens(bert, 4), "--max-tokens 4; expected 8 to 512 of config.json (max_position_embeddings)");
  assert.match(tokens({}, 40_000), "expected 8 to 32768");
});
