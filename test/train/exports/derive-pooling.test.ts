import { derivePooling } from "../../../train/exports/derive-pooling.js";
import type { Pooling } from "../../../src/documents/choices.js";
import { assert, test } from "../../support/test.js";
import { exportOf, modules, port, sentenceVectors, tokenVectors } from "../../support/model-exports.js";

const pooled = (settings: object, names = modules("Transformer", "Pooling")) =>
  exportOf({ "modules.json": names, "1_Pooling/config.json": { word_embedding_dimension: 32, ...settings } });

const reason = (settings: object, wanted?: Pooling): string => {
  const pooling = derivePooling(pooled(settings), tokenVectors, wanted);
  return "missing" in pooling ? pooling.missing : `${pooling.value} from ${pooling.source}`;
};

test("each sentence-transformers pooling mode that the runtime supports is read from the file", () => {
  const off = { pooling_mode_cls_token: false, pooling_mode_mean_tokens: false, pooling_mode_max_tokens: false };
  assert.is(reason({ ...off, pooling_mode_mean_tokens: true }), "mean from 1_Pooling/config.json");
  assert.is(reason({ ...off, pooling_mode_cls_token: true }), "cls from 1_Pooling/config.json");
  assert.is(reason({ ...off, pooling_mode_max_tokens: true }), "max from 1_Pooling/config.json");
  assert.is(reason({ pooling_mode_lasttoken: true }), "last_token from 1_Pooling/config.json");
  assert.is(reason({ pooling_mode: "cls" }), "cls from 1_Pooling/config.json");
});

test("several modes at once, unknown ones and none are refused with what was found, whatever the flag says", () => {
  const rest = "; the runtime has one of mean, cls, max, last_token";
  const two = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true };
  assert.is(reason(two), `1_Pooling/config.json says cls_token and mean_tokens${rest}`);
  assert.is(reason(two, "mean"), `1_Pooling/config.json says cls_token and mean_tokens${rest}`);
  const root = { pooling_mode_mean_sqrt_len_tokens: true };
  assert.is(reason(root), `1_Pooling/config.json says mean_sqrt_len_tokens${rest}`);
  assert.is(reason({ pooling_mode_cls_token: false }), `1_Pooling/config.json says no mode${rest}`);
});

test("the flag fills a gap and never contradicts the export", () => {
  const mean = { pooling_mode_mean_tokens: true };
  assert.is(reason(mean, "mean"), "mean from 1_Pooling/config.json");
  assert.is(reason(mean, "cls"), "--pooling cls, but 1_Pooling/config.json says mean");
  assert.equal(derivePooling(exportOf(), tokenVectors, "cls"), { value: "cls", source: "--pooling" });
  assert.equal(derivePooling(exportOf(), tokenVectors, undefined), {
    missing: "the export has no pooling module (1_Pooling/config.json)",
    flag: "--pooling mean|cls|max|last_token|none",
  });
});

test("an output of one vector for each text is not pooled again", () => {
  assert.equal(derivePooling(exportOf(), sentenceVectors, undefined), {
    value: "none",
    source: "output sentence_embedding is one vector for each text",
  });
  assert.ok("missing" in derivePooling(exportOf(), sentenceVectors, "mean"));
  assert.ok("missing" in derivePooling(exportOf(), tokenVectors, "none"));
  assert.ok("missing" in derivePooling(exportOf(), port("x", "batch", 2, 3, 4), "mean"));
});

test("a module that only the graph itself could run is refused", () => {
  const model = pooled({ pooling_mode_mean_tokens: true }, modules("Transformer", "Pooling", "Dense"));
  const pooling = derivePooling(model, tokenVectors, undefined);
  assert.match("missing" in pooling ? pooling.missing : "", "modules.json has a module Dense");
});

test("the pooling module is found in the folder that modules.json names", () => {
  const model = exportOf({
    "modules.json": [{ path: "pool", type: "sentence_transformers.models.Pooling" }],
    "pool/config.json": { pooling_mode_cls_token: true },
  });
  assert.equal(derivePooling(model, tokenVectors, undefined), { value: "cls", source: "pool/config.json" });
});
