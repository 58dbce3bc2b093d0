import type { Router } from "../../src/documents/router.js";
import type { RuntimeSnapshot } from "../../src/router/runtime.js";

/** A bundle as described on the control socket. */
interface BundleStatus {
  readonly bundle_id: string | null;
  readonly release: number | null;
  /** Environment named by the approvals; null without approvals. */
  readonly environment: string | null;
  readonly catalog_version: string;
  readonly calibration_version: string;
  readonly model_version: string;
  readonly ready: boolean;
  readonly problems: readonly string[];
  /** RFC 3339; null without approvals. */
  readonly approved_until: string | null;
}

/** Response to every successful control request. */
export interface RuntimeStatus {
  readonly generation: number;
  readonly loaded_at: string;
  readonly active: BundleStatus;
  /** The bundle that a rollback would activate. */
  readonly previous: BundleStatus | null;
}

export function runtimeStatus({ generation, loadedAt, router, previous }: RuntimeSnapshot): RuntimeStatus {
  return {
    generation,
    loaded_at: loadedAt.toISOString(),
    active: bundleStatus(router),
    previous: previous === null ? null : bundleStatus(previous),
  };
}

function bundleStatus(router: Router): BundleStatus {
  const { bundleId, lineage, monitor } = router;
  const problems = router.integrityProblems();
  return {
    bundle_id: bundleId,
    release: monitor?.release?.release ?? null,
    environment: monitor?.environment ?? null,
    catalog_version: lineage.catalog_version,
    calibration_version: lineage.calibration_version,
    model_version: lineage.model_version,
    ready: problems.length === 0,
    problems,
    approved_until: monitor?.approvedUntil()?.toISOString() ?? null,
  };
}
