import { readFileSync } from "node:fs";
import { join } from "node:path";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { unbounded } from "../../src/documents/run-scope.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { transformerFiles } from "../../src/router/retrieval/model-files.js";
import { parseModel } from "../../src/router/verification/parse-model.js";
import { assert, packageRoot, test } from "../support/test.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../support/service-desk.js";
import { quickstartSettings } from "../../stages/demonstration/settings.js";
import { withPool } from "../support/pools.js";

interface ModelCard {
  readonly verifier_fitted_on: {
    readonly tasks: readonly { readonly name: string }[];
    readonly service_desk_workflows: readonly string[];
  };
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

interface ReferenceEmbeddings {
  readonly texts: readonly string[];
  readonly int8: readonly (readonly number[])[];
  readonly float32: readonly (readonly number[])[];
}

const folder = join(packageRoot, "models", "default");
const json = <T>(...path: readonly string[]): T => JSON.parse(readFileSync(join(...path), "utf8")) as T;
const mebibyte = 2 ** 20;

for (const name of ["default", "fast"]) {
  test(`${name}: the card names every file of both models with its digest`, async () => {
    const card = json<ModelCard>(packageRoot, "models", name, "model_card.json");
    for (const role of ["retriever", "verifier"] as const) {
      const { files } = await readDirectory(join(packageRoot, "models", name, role));
      const found = [...files].map(([path, bytes]) => {
        return { path: `${role}/${path}`, bytes: bytes.length, sha256: sha256Hex(bytes) };
      });
      const named = card.files.filter(({ path }) => path.startsWith(role));
      const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
      assert.equal(found.sort(byPath), [...named].sort(byPath));
      assert.ok(found.reduce((sum, { bytes }) => sum + bytes, 0) <= 24 * mebibyte, role);
      assert.is(parseModel(files).role, role);
    }
    assert.not.match(JSON.stringify(card.verifier_fitted_on), /clinc/i);
  });
}

test("the shipped encoder gives the embeddings that its build recorded", async () => {
  const reference = json<ReferenceEmbeddings>(packageRoot, "models", "build", "reference-embeddings.json");
  const { files } = await readDirectory(join(folder, "retriever"));
  const model = parseRetrieverModel(files);
  if (model.kind !== "encoder") throw new Error(`the shipped retriever is of kind ${model.kind}`);
  const source = transformerFiles(files, model, "retriever");
  await withPool({}, async (pool) => {
    const { pooling, normalise } = model;
    const encoder = await pool.load({ kind: "encoder", ...source, pooling, normalise });
    for (const [place, text] of reference.texts.entries()) {
      const { matrix } = await encoder.run({ kind: "texts", texts: [text] }, unbounded);
      const cosine = (other: readonly number[]): number =>
        other.reduce((sum, value, d) => sum + value * (matrix.values[d] ?? Number.NaN), 0);
      assert.ok(cosine(reference.int8[place] ?? []) > 0.99, text);
      assert.ok(cosine(reference.float32[place] ?? []) > 0.95, text);
    }
  });
});

test("the demonstration certifies and tests on no workflow that the verifier was fitted on", async () => {
  const card = json<ModelCard>(folder, "model_card.json");
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const { seed, fractions } = quickstartSettings;
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const { folds } = splitByWorkflow({ dataset, catalog, seed, fractions });
  assert.equal(folds.fit.clusters, card.verifier_fitted_on.service_desk_workflows);
});

test("a digest of the build report is that of the shipped file", () => {
  const report = json<{ readonly out: Readonly<Record<string, string>> }>(
    packageRoot,
    "models",
    "build",
    "encoder.json",
  );
  for (const [file, sha256] of Object.entries(report.out)) {
    assert.is(sha256Hex(readFileSync(join(folder, "retriever", file))), sha256, file);
  }
});
