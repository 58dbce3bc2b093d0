import { deriveNormalise } from "../../../train/exports/derive-pooling.js";
import { assert, test } from "../../support/test.js";
import { exportOf, modules } from "../../support/model-exports.js";

const withSimilarity = (name: string) =>
  exportOf({ "config_sentence_transformers.json": { similarity_fn_name: name } });

test("a Normalize module is imported and cannot be disabled", () => {
  const model = exportOf({ "modules.json": modules("Transformer", "Pooling", "Normalize") });
  assert.equal(deriveNormalise(model, undefined), { value: true, source: "modules.json (2_Normalize)" });
  assert.ok("missing" in deriveNormalise(model, false));
});

test("without the module the export's similarity decides", () => {
  assert.is((deriveNormalise(withSimilarity("cosine"), undefined) as { value: boolean }).value, true);
  assert.is((deriveNormalise(withSimilarity("dot"), undefined) as { value: boolean }).value, false);
  assert.ok("missing" in deriveNormalise(withSimilarity("euclidean"), undefined));
});

test("an export without the setting is scaled, with a note that this is assumed; the flag overrides it", () => {
  const silent = deriveNormalise(exportOf(), undefined);
  assert.is("value" in silent && silent.value, true);
  assert.match("source" in silent ? silent.source : "", /^assumed: /);
  assert.equal(deriveNormalise(exportOf(), false), { value: false, source: "--normalise" });
});
