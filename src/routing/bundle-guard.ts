import { bundleFilesUnchanged } from "../artifacts/bundle-watch.js";
import type { RevocationWatch } from "../artifacts/revocation-watch.js";
import type { VerifiedBundle } from "../artifacts/verify/verify-bundle.js";

export interface BundleGuardOptions {
  readonly verified: VerifiedBundle;
  /** Verifies the bundle on disk again. */
  readonly verifyAgain: () => Promise<VerifiedBundle>;
  readonly clock: () => Date;
  /** Watches the revocation list of the deployment; null when it has none. */
  readonly revocations: Pick<RevocationWatch, "problems"> | null;
  /** The values that decide as one text, made anew at each call. */
  readonly decidingValues: () => string;
}

/**
 * The check before every request: end dates, revocations, the values that decide, and a stat of every file. A changed file starts a
 * verification in the background; until that proves the bundle equal, the bundle is not in order. Recovery is automatic.
 */
export class BundleGuard {
  private readonly options: BundleGuardOptions;
  private readonly decidingValuesAtStart: string;
  private fileStats: VerifiedBundle["fileStats"];
  private verifying = false;

  constructor(options: BundleGuardOptions) {
    this.options = options;
    this.fileStats = options.verified.fileStats;
    this.decidingValuesAtStart = options.decidingValues();
  }

  /** Reasons why the bundle must not serve now; empty when it may. */
  problems(): readonly string[] {
    const { verified, clock, decidingValues, revocations } = this.options;
    const revoked = revocations?.problems() ?? [];
    if (revoked.length > 0) return revoked;
    // A watched list is renewed while the bundle serves, and with it the end date that the watch knows.
    if (revocations === null && clock().getTime() >= verified.expiresAt.getTime()) {
      return ["the approvals of the bundle have expired"];
    }
    if (decidingValues() !== this.decidingValuesAtStart) return ["thresholds or policy in memory were changed"];
    if (bundleFilesUnchanged(this.fileStats)) return [];
    this.verifyInBackground();
    return ["files of the bundle were changed on disk"];
  }

  private verifyInBackground(): void {
    if (this.verifying) return;
    this.verifying = true;
    this.options
      .verifyAgain()
      .then(
        (again) => {
          if (again.bundleId === this.options.verified.bundleId) this.fileStats = again.fileStats;
        },
        () => undefined,
      )
      .finally(() => {
        this.verifying = false;
      });
  }
}
