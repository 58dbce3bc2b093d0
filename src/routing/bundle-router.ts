import type { FileMark } from "../artifacts/revocation-file.js";
import { RevocationWatch } from "../artifacts/revocation-watch.js";
import type { VerifiedBundle } from "../artifacts/verify/verify-bundle.js";
import { parseCatalog, requireProductionCatalog } from "../catalog/load.js";
import { toCamel } from "../domain/camel.js";
import type { Calibration } from "../domain/calibration.js";
import { RoutingPolicySchema } from "../domain/policy.js";
import type { Router } from "../domain/router.js";
import { SluiceError } from "../errors/error.js";
import { readCalibration } from "../policy/read-calibration.js";
import { requireValidPolicy } from "../policy/require-valid-policy.js";
import { BundleGuard } from "./bundle-guard.js";
import { effectiveIdentities, identityDifferences, signedIdentities } from "./bundle-identities.js";
import { checkGolden, parseGolden } from "./check-golden.js";
import { ClockWatch } from "./clock-watch.js";
import { loadModels } from "./load-models.js";
import { parseDocument, parseJson } from "./parse-document.js";
import { requireEvidence } from "./require-evidence.js";
import { BundleRouter, type RouterParts } from "./router.js";

export interface BundleRouterOptions {
  /** Inference threads. */
  readonly workers: number;
  /** Wall clock, for end dates. */
  readonly clock: () => Date;
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number;
  /** Verifies the bundle on disk again after a change. */
  readonly verifyAgain: () => Promise<VerifiedBundle>;
  /** Told the code of each backend failure, for the log; must not throw. */
  readonly onBackendError?: RouterParts["onBackendError"];
  /** The revocation list that the bundle was verified with; null when the deployment has none. */
  readonly revocationFile: { readonly path: string; readonly mark: FileMark } | null;
}

/** Runs that may wait or be under way at once before further ones are refused. */
const queueLimit = 512;

/**
 * Builds the production router of a verified bundle from the verified bytes: identities compared, whole index warmed,
 * golden decisions reproduced.
 * @throws {SluiceError} CALIBRATION_INVALID, POLICY_INVALID, CATALOG_NOT_PRODUCTION, IDENTITY_MISMATCH,
 *   PRODUCTION_CONFIGURATION, MODEL_INVALID, WARMUP_FAILED
 */
export async function createBundleRouter(verified: VerifiedBundle, options: BundleRouterOptions): Promise<Router> {
  const catalog = parseCatalog(verified.catalogBytes, "catalog.yaml");
  const calibration = readCalibration(parseJson(verified.calibrationBytes, "calibration.json"), "calibration.json");
  const policyWire = parseDocument(RoutingPolicySchema, verified.policyBytes, "policy.json");
  const policy = requireValidPolicy(toCamel(policyWire), "policy.json");
  requireProductionCatalog(catalog);
  const sources = { retrieverFiles: verified.retrieverFiles, verifierFiles: verified.verifierFiles };
  const effective = effectiveIdentities({ catalog, calibration, policy }, sources);
  requireEqual(identityDifferences(signedIdentities(verified.manifest), effective));
  requireEvidence(calibration, verified.verifierFiles);

  const models = await loadModels(catalog, sources, { workers: options.workers, queueLimit });
  const guard = new BundleGuard({
    verified,
    verifyAgain: options.verifyAgain,
    clock: options.clock,
    clockWatch: new ClockWatch({
      clock: options.clock,
      now: options.now,
      toleranceMs: verified.question.trust.clockSkewMs,
    }),
    revocations:
      options.revocationFile === null
        ? null
        : new RevocationWatch({ ...options.revocationFile, verified, clock: options.clock }),
    // The same objects each time, so that their order of keys needs no canonical form.
    decidingValues: () => JSON.stringify({ policy, ...decidingPart(calibration) }),
  });
  const router = new BundleRouter({
    catalog,
    calibration,
    policy,
    models,
    runtimeMode: "production",
    bundleId: verified.bundleId,
    integrityProblems: () => guard.problems(),
    release: { release: verified.manifest.release, rollbackFloor: verified.manifest.rollbackFloor },
    approvedUntil: () => guard.approvedUntil(),
    now: options.now,
    onBackendError: options.onBackendError,
  });
  try {
    requireProductionModels([models.retriever, models.verifier]);
    await checkGolden(router, parseGolden(verified.goldenBytes));
  } catch (error) {
    await router.close();
    throw error;
  }
  return router;
}

/** The numbers that decide, without the evidence that explains them. */
function decidingPart(calibration: Calibration) {
  const { calibrator, tiers, certifiedWorkflows, clarifyThreshold, minRetrievalScore } = calibration;
  const thresholds = Object.entries(tiers).map(([tier, { confidence, margin }]) => [tier, confidence, margin]);
  return { calibrator, thresholds, certifiedWorkflows, clarifyThreshold, minRetrievalScore };
}

function requireEqual(differences: readonly string[]): void {
  if (differences.length === 0) return;
  throw new SluiceError("IDENTITY_MISMATCH", `running values differ from the manifest: ${differences.join("; ")}`, {
    hint: "Serve this bundle with the versions that its manifest names, or sign a new manifest.",
    details: { differences },
  });
}

function requireProductionModels(
  backends: readonly { readonly version: string; readonly capability: "development" | "production" }[],
): void {
  const unfit = backends.filter((b) => b.capability !== "production").map((b) => b.version);
  if (unfit.length === 0) return;
  throw new SluiceError("PRODUCTION_CONFIGURATION", `models without production capability: ${unfit.join(", ")}`);
}
