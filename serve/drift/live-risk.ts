import { createHmac } from "node:crypto";
import type { BundleId } from "../../src/documents/primitives.js";
import { isRoutedByScore } from "../../src/documents/expected-rates.js";
import type { Router } from "../../src/documents/router.js";
import { RiskBetting } from "../../src/base/numbers/risk-betting.js";
import type { TelemetryEvent, TelemetrySink } from "../../src/router/telemetry/sink.js";
import type { MetricFamily } from "../metrics/exposition.js";
import { RepeatWindow } from "./drift-watch.js";

export interface LiveRiskOptions {
  /** The active router; null if there is none. */
  readonly active: () => Pick<Router, "bundleId" | "monitor"> | null;
  /** Secret key of the sample, so that nobody can choose which routes are labelled. */
  readonly seed: Uint8Array;
}

/** A label of a route. */
export interface Outcome {
  readonly requestId: string;
  /** Whether the request belonged to a different workflow, or to none. */
  readonly wrong: boolean;
}

/** State of the live check of the claim. */
export interface LiveRiskState {
  readonly bundle_id: string | null;
  /** Largest share of wrong routes under the bundle's claim; null if there is no claim over all tiers. */
  readonly limit: number | null;
  readonly labels: number;
  readonly wrong: number;
  /** Routes of a text that was drawn before: it counts once in the test, however often it comes. */
  readonly repeats: number;
  /** E-value against the claim; at 20 the claim is refuted. */
  readonly e_value: number;
  readonly verdict: "holds" | "does_not_hold" | "cannot_say_yet";
  /** Requests to label next, sampled by the server. */
  readonly next: readonly string[];
}

export interface ReportedOutcomes {
  readonly counted: number;
  /**
   * Number of outcomes ignored because the request was not sampled or already has one. Counting them would let the
   * caller choose the sample.
   */
  readonly ignored: number;
}

/** E-value at which the claim is refuted, or shown to hold, at the 5% level. */
const decisive = 20;
/** Maximum number of sampled routes that wait for a label. */
const mostWaiting = 500;
/** Number of most recent distinct texts whose repetitions are not drawn. */
const repeatWindow = 10_000;
/** Maximum number of request ids in a report. */
const mostShown = 20;

/**
 * Tests on labelled routes the claim of the active bundle that at most `limit` of the routes are wrong. The routes to
 * label are a uniform sample of the distinct texts: those with the smallest keyed hashes. Outcomes of other routes are
 * ignored. Restarts with each bundle. Stores request ids and digests, but no texts.
 */
export class LiveRisk implements TelemetrySink {
  readonly #options: LiveRiskOptions;
  #bundleId: BundleId | null = null;
  #limit: number | null = null;
  #test: RiskBetting | null = null;
  /** Sampled routes without an outcome: keyed hashes by request id. */
  #waiting = new Map<string, string>();
  #texts = new RepeatWindow(repeatWindow);
  #repeats = 0;

  constructor(options: LiveRiskOptions) {
    this.#options = options;
  }

  emit(event: TelemetryEvent): void {
    if (event.event !== "sluice.decision" || !isRoutedByScore(event.reason_code)) return;
    this.#followActive();
    if (this.#test === null || event.bundle_id !== this.#bundleId) return;
    if (this.#texts.repeats(event.text_digest)) {
      this.#repeats += 1;
      return;
    }
    const hash = createHmac("sha256", this.#options.seed).update(event.request_id).digest("hex");
    this.#waiting.set(event.request_id, hash);
    if (this.#waiting.size <= mostWaiting) return;
    let [last, largest] = ["", ""];
    for (const [id, own] of this.#waiting) if (own > largest) [last, largest] = [id, own];
    this.#waiting.delete(last);
  }

  /** Records the outcomes of sampled routes. */
  report(outcomes: readonly Outcome[]): ReportedOutcomes {
    this.#followActive();
    let counted = 0;
    for (const { requestId, wrong } of outcomes) {
      if (this.#test === null || !this.#waiting.delete(requestId)) continue;
      this.#test.add(wrong);
      counted += 1;
    }
    return { counted, ignored: outcomes.length - counted };
  }

  state(): LiveRiskState {
    this.#followActive();
    const test = this.#test;
    const next = [...this.#waiting].sort(([, a], [, b]) => (a < b ? -1 : 1)).slice(0, mostShown);
    return {
      bundle_id: this.#bundleId,
      limit: this.#limit,
      labels: test?.labels ?? 0,
      wrong: test?.wrong ?? 0,
      repeats: this.#repeats,
      e_value: test?.against ?? 0,
      verdict: verdictOf(test),
      next: next.map(([id]) => id),
    };
  }

  families(): readonly MetricFamily[] {
    const { limit, labels, wrong, repeats, e_value: eValue, verdict } = this.state();
    const gauge = (name: string, help: string, value: number): MetricFamily => ({
      name,
      help,
      type: "gauge",
      samples: [{ labels: {}, value }],
    });
    return [
      gauge(
        "sluice_live_risk_limit",
        "Largest share of wrong routes that the bundle claims; 1 without a claim.",
        limit ?? 1,
      ),
      gauge("sluice_live_risk_labels", "Sampled routes with a label.", labels),
      gauge("sluice_live_risk_wrong", "Sampled routes labelled wrong.", wrong),
      gauge("sluice_live_risk_repeats", "Routes of a text that was drawn before, which count once.", repeats),
      gauge("sluice_live_risk_evidence", "Evidence against the claim; 1 refutes it.", eValue / decisive),
      gauge(
        "sluice_live_risk_refuted",
        "1 where labelled routes refute the claim.",
        verdict === "does_not_hold" ? 1 : 0,
      ),
    ];
  }

  #followActive(): void {
    const router = this.#options.active();
    if (router === null || router.bundleId === this.#bundleId) return;
    this.#bundleId = router.bundleId;
    const claim = router.monitor?.calibration.claims.find(({ scope, certified }) => scope === "overall" && certified);
    this.#limit = claim?.target_risk ?? null;
    this.#test = this.#limit === null ? null : new RiskBetting(this.#limit);
    this.#waiting = new Map();
    this.#texts = new RepeatWindow(repeatWindow);
    this.#repeats = 0;
  }
}

function verdictOf(test: RiskBetting | null): LiveRiskState["verdict"] {
  if (test === null) return "cannot_say_yet";
  if (test.against >= decisive) return "does_not_hold";
  return test.inFavour >= decisive ? "holds" : "cannot_say_yet";
}
