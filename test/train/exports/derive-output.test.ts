import { columnsOf, deriveOutput, lastDimension } from "../../../train/exports/derive-output.js";
import type { ModelRole } from "../../../src/documents/choices.js";
import { missingText } from "../../../train/exports/derived.js";
import { assert, test } from "../../support/test.js";
import { factsOf, logits, port, sentenceVectors, tokenVectors } from "../../support/model-exports.js";

const silent = { output: undefined, pooling: undefined };
const bothVectors = factsOf(port("token_embeddings", "batch", "sequence", 32), sentenceVectors);

function nameOf(
  facts = bothVectors,
  role: ModelRole = "retriever",
  wishes: Parameters<typeof deriveOutput>[2] = silent,
) {
  const output = deriveOutput(facts, role, wishes);
  return "missing" in output ? missingText(output) : output.value.name;
}

test("a graph with built-in pooling is read as pooled, unless a pooling of token vectors is requested", () => {
  assert.is(nameOf(), "sentence_embedding");
  assert.is(nameOf(bothVectors, "retriever", { ...silent, pooling: "mean" }), "token_embeddings");
});

test("the pooler output of BERT is never read by itself", () => {
  const bert = factsOf(tokenVectors, port("pooler_output", "batch", 32));
  assert.is(nameOf(bert), "last_hidden_state");
});

test("the only output is read whatever its name, several unknown ones need the flag", () => {
  assert.is(nameOf(factsOf(port("scores", "batch", 3)), "verifier"), "scores");
  const unknown = factsOf(port("a", "batch", 3), port("b", "batch", 3));
  assert.is(nameOf(unknown, "verifier"), "none of the outputs a, b is known for a verifier; give --graph-output NAME");
  assert.is(nameOf(unknown, "verifier", { ...silent, output: "b" }), "b");
  assert.is(
    nameOf(unknown, "verifier", { ...silent, output: "c" }),
    "the graph has no output c; expected --graph-output with one of a, b",
  );
});

test("a list of scores is one column", () => {
  assert.is(columnsOf(port("logits", "batch")), 1);
  assert.is(columnsOf(logits(3)), 3);
  assert.is(columnsOf(port("logits", "batch", "labels")), undefined);
});

test("an open last dimension is undefined", () => {
  assert.is(lastDimension(logits(3)), 3);
  assert.is(lastDimension(port("logits", "batch", "labels")), undefined);
  assert.is(lastDimension(port("logits")), undefined);
});
