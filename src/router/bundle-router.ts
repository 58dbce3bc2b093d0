import { setImmediate } from "node:timers/promises";
import type { ListIdentity } from "../trust/verify/revocations.js";
import { latestClock } from "../trust/release-state.js";
import type { FileMark } from "../trust/revocation-file.js";
import { recheckInThread } from "../trust/recheck-files.js";
import { RevocationWatch } from "../trust/revocation-watch.js";
import type { ReverifiedBundle } from "../trust/verify/verification-thread.js";
import type { VerifiedBundle } from "../trust/verify/verify-bundle.js";
import type { Calibration } from "../documents/calibration.js";
import type { Router } from "../documents/router.js";
import type { WorkClocks } from "../documents/run-scope.js";
import { IntegrityMonitor } from "./integrity-monitor.js";
import { ClockWatch } from "./clock-watch.js";
import type { RouterParts } from "./router.js";
import { parseCatalogInThread } from "./start/parse-in-thread.js";
import { requireStart } from "./start/start-checks.js";
import { warmRouter } from "./start/warm-router.js";

export interface BundleRouterOptions extends WorkClocks {
  readonly workers: number;
  readonly clock: () => Date;
  /** Clock for expiry dates, which never runs backwards; the bundles of a server share it. Default: a new one. */
  readonly latest?: (() => Date) | undefined;
  /** Verifies the bundle on disk again after a change. */
  readonly verifyAgain: () => Promise<ReverifiedBundle>;
  /** Called with the code of each backend failure, for the log; must not throw. */
  readonly onBackendError?: RouterParts["onBackendError"];
  /** The revocation list that the bundle was verified with; null if the deployment has none. */
  readonly revocationFile: { readonly path: string; readonly mark: FileMark } | null;
  /** Receives each revocation list that is read while the bundle serves; must not throw. */
  readonly onRevocations?: ((list: ListIdentity) => void) | undefined;
}

/**
 * Builds the production router of a bundle from its verified bytes. Checks documents and identities, warms the whole
 * index, and reproduces the golden decisions.
 * @throws {SluiceError} those of `requireStart` and `warmRouter`
 */
export async function createBundleRouter(verified: VerifiedBundle, options: BundleRouterOptions): Promise<Router> {
  const { latest = latestClock(options.clock), onRevocations: onList } = options;
  const parsed = await settled(parseCatalogInThread(verified.catalogBytes));
  const documents = requireStart(verified, () => valueOf(parsed).catalog);
  const { policy, calibration } = documents;
  const { bundleId, end, fileStats, signed, question } = verified;
  // Without the bytes of the files, which are large and not needed again.
  const checked: ReverifiedBundle = { bundleId, end, fileStats, signed, question };
  const monitor = new IntegrityMonitor({
    verified: checked,
    verifyAgain: options.verifyAgain,
    recheck: recheckInThread,
    clock: latest,
    now: options.now,
    clockWatch: new ClockWatch({
      clock: options.clock,
      now: options.now,
      toleranceMs: verified.question.trust.clockSkewMs,
    }),
    revocations:
      options.revocationFile === null
        ? null
        : new RevocationWatch({ ...options.revocationFile, verified: checked, clock: latest, onList }),
    // Always the same objects, so the order of their keys is stable and needs no canonical form.
    decidingValues: () => JSON.stringify({ policy, ...decidingPart(calibration) }),
  });
  // Yields between two steps that each take some time for a large catalog.
  await setImmediate();
  const sources = { ...documents.sources, catalogLines: valueOf(parsed).lines };
  return warmRouter(
    { ...documents, sources },
    {
      workers: options.workers,
      bundleId: verified.bundleId,
      integrityProblems: () => monitor.problems(),
      integrityChecked: (scope) => monitor.checked(scope),
      release: { release: verified.manifest.release, rollbackFloor: verified.manifest.rollback_floor },
      environment: verified.question.environment,
      approvedUntil: () => monitor.approvedUntil(),
      now: options.now,
      workedMs: options.workedMs,
      onBackendError: options.onBackendError,
    },
  );
}

/** Outcome of a task whose error is reported together with others. */
type Settled<T> = { readonly value: T } | { readonly thrown: unknown };

const settled = <T>(task: Promise<T>): Promise<Settled<T>> =>
  task.then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  );

function valueOf<T>(outcome: Settled<T>): T {
  if ("thrown" in outcome) throw outcome.thrown;
  return outcome.value;
}

/** The values that affect decisions, without those that explain them. */
function decidingPart(calibration: Calibration) {
  const { calibrator, tiers, certified_workflows, clarify_threshold, min_retrieval_score } = calibration;
  const { languages, several_wishes } = calibration;
  const thresholds = Object.entries(tiers).map(([tier, { confidence, margin }]) => [tier, confidence, margin]);
  return {
    calibrator,
    thresholds,
    certified_workflows,
    clarify_threshold,
    min_retrieval_score,
    languages: languages === undefined ? null : { covered: languages.covered, thresholds: languages.thresholds },
    several_wishes: several_wishes?.threshold ?? null,
  };
}
