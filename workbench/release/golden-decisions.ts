import { canonicalBytes } from "../../src/digest/canonical-json.js";
import type { Calibration } from "../../src/domain/calibration.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import { decisionKinds } from "../../src/domain/decision.js";
import type { RoutingPolicy } from "../../src/domain/policy.js";
import type { GoldenWire } from "../../src/domain/signed.js";
import { goldenRequest } from "../../src/routing/check-golden.js";
import type { OpenEmbeddingCache } from "../../src/retrieval/embedding-cache.js";
import { loadModels, type ModelSources } from "../../src/routing/load-models.js";
import { BundleRouter } from "../../src/routing/router.js";

/** Number of golden decisions of each kind in a bundle, where the requests suffice. */
const casesPerKind = 4;
/** Requests that are routed at most; a kind that none of them gives has no case. */
const mostTried = 256;
/** Scores of the same graph on the same ONNX Runtime differ by rounding only. */
const tolerance = 1e-4;

export interface GoldenSource {
  readonly catalog: Catalog;
  readonly calibration: Calibration;
  readonly policy: RoutingPolicy;
  readonly models: ModelSources;
  /** Requests to choose from, in order. */
  readonly requests: readonly LabelledRequest[];
}

export interface GoldenFiles {
  /** The golden decisions. */
  readonly golden: Buffer;
  /** Vectors of the catalog's texts; null for a retriever without a transformer. */
  readonly vectors: Buffer | null;
}

/**
 * Routes requests as production will, and returns the first few decisions of each kind with the vectors that they were
 * made with. The server reproduces the decisions before it serves.
 */
export async function goldenDecisions(source: GoldenSource, cache?: OpenEmbeddingCache): Promise<GoldenFiles> {
  const models = await loadModels(source.catalog, source.models, { workers: 1, queueLimit: 64, cache });
  const router = new BundleRouter({
    ...source,
    models,
    runtimeMode: "production",
    bundleId: null,
    integrityProblems: () => [],
    // Durations are not part of a golden decision, and a busy machine must not change one.
    now: () => 0,
  });
  const cases: GoldenWire["cases"] = [];
  const full = (): boolean =>
    decisionKinds.every((kind) => cases.filter((c) => c.decision === kind).length >= casesPerKind);
  try {
    for (const { text } of source.requests.slice(0, mostTried)) {
      if (full()) break;
      const answer = await router.route(goldenRequest(text, router));
      if (cases.filter((c) => c.decision === answer.decision).length >= casesPerKind) continue;
      cases.push({
        text,
        decision: answer.decision,
        workflow_id: answer.workflowId,
        reason_code: answer.reasonCode,
        confidence: answer.confidence,
      });
    }
  } finally {
    await router.close();
  }
  const golden: GoldenWire = { schema_version: 1, tolerance, cases };
  return { golden: canonicalBytes(golden), vectors: await models.vectorBytes() };
}
