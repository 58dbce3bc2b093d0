import { deriveRole } from "../../../train/exports/propose-model.js";
import { assert, test } from "../../support/test.js";
import {
  exportOf,
  factsOf,
  logits,
  modules,
  port,
  sentenceVectors,
  tokenVectors,
} from "../../support/model-exports.js";

const sequenceClassifier = { "config.json": { architectures: ["BertForSequenceClassification"] } };
const sentenceTransformer = { "modules.json": modules("Transformer", "Pooling") };

test("modules of sentence-transformers or an output with vectors make a retriever", () => {
  assert.equal(deriveRole(exportOf(sentenceTransformer), factsOf(sentenceVectors), undefined), {
    value: "retriever",
    source: "modules.json and output sentence_embedding",
  });
  assert.equal(deriveRole(exportOf(), factsOf(tokenVectors), undefined), {
    value: "retriever",
    source: "output last_hidden_state",
  });
});

test("a sequence classifier or an output with one row of logits makes a verifier", () => {
  assert.equal(deriveRole(exportOf(sequenceClassifier), factsOf(logits(3)), undefined), {
    value: "verifier",
    source: "config.json (BertForSequenceClassification) and output logits",
  });
});

test("logits for each token are no sign of a verifier", () => {
  const role = deriveRole(exportOf(), factsOf(port("logits", "batch", "sequence", 30_522)), undefined);
  assert.match("missing" in role ? role.missing : "", "no file says what the model is for");
});

test("contradicting signs name both sides and the flag", () => {
  const role = deriveRole(exportOf(sequenceClassifier), factsOf(tokenVectors), undefined);
  assert.equal(role, {
    missing: "output last_hidden_state of a retriever, but config.json (BertForSequenceClassification) of a verifier",
    flag: "--role retriever|verifier",
  });
});

test("the flag settles the role", () => {
  const role = deriveRole(exportOf(sequenceClassifier), factsOf(tokenVectors), "retriever");
  assert.equal(role, { value: "retriever", source: "--role" });
});
