import { derivePrefix } from "../../../train/exports/derive-prefix.js";
import { assert, test } from "../../support/test.js";
import { exportOf } from "../../support/model-exports.js";

const prompted = (prompts: object, more: object = {}) =>
  exportOf({ "config_sentence_transformers.json": { prompts, ...more } });

test("prompts are stored byte for byte: a trailing space counts", () => {
  const model = prompted({ query: "query: ", passage: "passage: " });
  assert.equal(derivePrefix(model, "query", undefined), {
    value: "query: ",
    source: "config_sentence_transformers.json",
  });
  assert.equal(derivePrefix(model, "document", undefined), {
    value: "passage: ",
    source: "config_sentence_transformers.json",
  });
});

test("the default prompt stands in for the kind that has none", () => {
  const model = prompted({ general: "text: " }, { default_prompt_name: "general" });
  assert.is((derivePrefix(model, "document", undefined) as { value: string }).value, "text: ");
});

test("a model with a query prompt alone has none for documents", () => {
  assert.equal(derivePrefix(prompted({ query: "q " }), "document", undefined), {
    value: "",
    source: "config_sentence_transformers.json (no prompt for documents)",
  });
});

test("an export without prompts gives an empty prefix that is said to be assumed", () => {
  for (const model of [exportOf(), prompted({})]) {
    const prefix = derivePrefix(model, "query", undefined);
    assert.is("value" in prefix ? prefix.value : undefined, "");
    assert.match("source" in prefix ? prefix.source : "", /^assumed: /);
  }
});

test("prompts for other purposes need the flag", () => {
  assert.equal(derivePrefix(prompted({ clustering: "c: ", sts: "s: " }), "query", undefined), {
    missing: "config_sentence_transformers.json has prompts clustering, sts, none of them for a query",
    flag: "--query-prefix TEXT",
  });
});

test("the flag wins, and a difference to the export is named with both spaces visible", () => {
  const model = prompted({ query: "query: " });
  assert.equal(derivePrefix(model, "query", "query:"), {
    value: "query:",
    source: '--query-prefix, while config_sentence_transformers.json says "query: "',
  });
  assert.equal(derivePrefix(model, "query", "query: "), { value: "query: ", source: "--query-prefix" });
});
