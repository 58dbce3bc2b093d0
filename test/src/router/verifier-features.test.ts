/** What is certified offline on the verifier's features is what the server decides, and no other verifier may do it. */
import { join } from "node:path";
import { fitCalibration } from "../../../calibrate/fit-calibration.js";
import { scoreDataset } from "../../../eval/score-dataset.js";
import { readScoredTable, scoredTableBytes } from "../../../eval/scored-table.js";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import { CalibrationSchema } from "../../../src/documents/calibration.js";
import type { Catalog } from "../../../src/documents/catalog.js";
import { checkSchema } from "../../../src/documents/check-schema.js";
import { clusterOf, type LabelledRequest } from "../../../src/documents/dataset.js";
import { defaultPolicy } from "../../../src/documents/policy.js";
import { decide } from "../../../src/router/policy/decide.js";
import { CandidateScorer } from "../../../src/router/candidate-scorer.js";
import { goldenRequest } from "../../../src/router/check-golden.js";
import { loadModels } from "../../../src/router/load-models.js";
import { requireFeatures } from "../../../src/router/start/start-checks.js";
import { BundleRouter } from "../../../src/router/router.js";
import { assert, packageRoot, test, throws } from "../../support/test.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../support/service-desk.js";
import { verifierFiles } from "../../support/models.js";
import { digests } from "../../calibrate/synthetic-records.js";

const policy = defaultPolicy;
const folder = join(packageRoot, "models", "default");
let catalog: Catalog;
let rows: readonly LabelledRequest[];
let sources: Parameters<typeof loadModels>[1];

test.before(async () => {
  catalog = await serviceDeskCatalog();
  rows = serviceDeskRequests().filter((_, i) => i % 16 === 0);
  const [retriever, verifier] = [
    await readDirectory(join(folder, "retriever")),
    await readDirectory(join(folder, "verifier")),
  ];
  sources = { retrieverFiles: retriever.files, verifierFiles: verifier.files };
});

/** Workflows and groups are dealt to these in turn. */
const folds = ["tune", "certify", "eval"] as const;

async function storedRecords(models: Awaited<ReturnType<typeof loadModels>>) {
  const clusters = [...new Set(rows.map(clusterOf))];
  const records = await scoreDataset({
    rows,
    foldOf: new Map(clusters.map((cluster, i) => [cluster, folds[i % folds.length] ?? "eval"])),
    scorer: new CandidateScorer({ catalog, policy, ...models, now: () => 0 }),
    catalogVersion: catalog.catalog_version,
    workflowIds: catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
    concurrency: 4,
  });
  return readScoredTable(scoredTableBytes(records), "records");
}

test("the stored records and the stored calibration decide as the router does, to the last decimal", async () => {
  const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 64 });
  try {
    const records = await storedRecords(models);
    const target = 0.4;
    const wire = fitCalibration({
      records,
      target_risk: target,
      delta: 0.1,
      claim: "fixed-catalog",
      calibrator: "verifier-features",
      digests,
      version: "features",
    });
    const stored: unknown = JSON.parse(canonicalJson(wire));
    const calibration = checkSchema(CalibrationSchema, stored, "calibration");
    assert.is(calibration.calibrator.family, "verifier-features");
    requireFeatures(calibration, sources.verifierFiles);

    const router = new BundleRouter({
      catalog,
      calibration,
      policy,
      models,
      runtimeMode: "production",
      bundleId: null,
      integrityProblems: () => [],
      now: () => 0,
    });
    const offline = new Map(records.map((record) => [record.id, record]));
    const decisions = new Set<string>();
    for (const { id, text } of rows.filter((row) => offline.get(row.id)?.fold === "eval")) {
      const record = offline.get(id);
      const expected = decide(record ?? { candidates: [] }, calibration);
      const served = await router.route(goldenRequest(text, router));
      if (record?.early_reason !== null) continue;
      assert.equal(
        [served.decision, served.reason_code, served.workflow_id, served.confidence],
        [expected.decision, expected.reason_code, expected.workflow_id, expected.confidence],
        id,
      );
      decisions.add(served.decision);
    }
    assert.equal([...decisions].sort(), ["CLARIFY", "LLM_REQUIRED", "ROUTE"]);
  } finally {
    await models.close();
  }
});

test("a calibration whose columns differ from the verifier's is refused, and the error names both", () => {
  const weights = { logit: 1, margin: 0, retrieval: 0, entropy: 0, agreement: 0 };
  const fitted = { intercept: 0, weights, fitted_requests: 1, fitted_errors: 0 };
  const calibrator = { ...fitted, family: "verifier-features", columns: [{ name: "score", weight: 1 }] } as const;
  for (const files of [sources.verifierFiles, verifierFiles()]) {
    const error = throws(() => requireFeatures({ calibrator }, files), "CALIBRATION_INVALID");
    assert.match(error.message, /columns of the calibration differ from those of the verifier \S+/);
    assert.equal(error.details?.["found"], ["score"]);
  }
  requireFeatures({ calibrator: { ...fitted, family: "request-features" } }, sources.verifierFiles);
});
