import { bundleFilesUnchanged } from "../artifacts/bundle-watch.js";
import type { RevocationWatch } from "../artifacts/revocation-watch.js";
import type { VerifiedBundle } from "../artifacts/verify/verify-bundle.js";
import type { ClockWatch } from "./clock-watch.js";

export interface BundleGuardOptions {
  readonly verified: VerifiedBundle;
  /** Verifies the bundle on disk again. */
  readonly verifyAgain: () => Promise<VerifiedBundle>;
  /** Never goes back, so approvals that have ended stay ended. */
  readonly clock: () => Date;
  /** Watches the revocation list of the deployment; null when it has none. */
  readonly revocations: Pick<RevocationWatch, "endsAt" | "problems" | "renew"> | null;
  /** Notices a clock that was moved back. */
  readonly clockWatch: Pick<ClockWatch, "problems">;
  /** The values that decide as one text, made anew at each call. */
  readonly decidingValues: () => string;
}

/**
 * The check before every request: clock, end dates, revocations, the values that decide, and a stat of every file. A
 * changed file starts a verification in the background; until that proves the bundle equal, the bundle is not in order.
 * Recovery is automatic, also from expired approvals when new ones were put into the folder.
 */
export class BundleGuard {
  private readonly options: BundleGuardOptions;
  private readonly decidingValuesAtStart: string;
  private fileStats: VerifiedBundle["fileStats"];
  private expiresAt: Date;
  private verifying = false;

  constructor(options: BundleGuardOptions) {
    this.options = options;
    this.fileStats = options.verified.fileStats;
    this.expiresAt = options.verified.expiresAt;
    this.decidingValuesAtStart = options.decidingValues();
  }

  /** When the bundle stops to be approved, as it is known now: a watched list is renewed while the bundle serves. */
  approvedUntil(): Date {
    return this.options.revocations?.endsAt() ?? this.expiresAt;
  }

  /** Reasons why the bundle must not serve now; empty when it may. */
  problems(): readonly string[] {
    const { clock, clockWatch, decidingValues, revocations } = this.options;
    const unchanged = bundleFilesUnchanged(this.fileStats);
    if (!unchanged) this.verifyInBackground();
    const moved = clockWatch.problems();
    if (moved.length > 0) return moved;
    const revoked = revocations?.problems() ?? [];
    if (revoked.length > 0) return revoked;
    if (clock().getTime() >= this.approvedUntil().getTime()) return ["the approvals of the bundle have expired"];
    if (decidingValues() !== this.decidingValuesAtStart) return ["thresholds or policy in memory were changed"];
    return unchanged ? [] : ["files of the bundle were changed on disk"];
  }

  private verifyInBackground(): void {
    if (this.verifying) return;
    this.verifying = true;
    this.options
      .verifyAgain()
      .then(
        (again) => this.takeOver(again),
        () => undefined,
      )
      .finally(() => {
        this.verifying = false;
      });
  }

  private takeOver(again: VerifiedBundle): void {
    if (again.bundleId !== this.options.verified.bundleId) return;
    this.fileStats = again.fileStats;
    this.expiresAt = again.expiresAt;
    this.options.revocations?.renew(again);
  }
}
