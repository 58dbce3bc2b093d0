import { createHmac } from "node:crypto";
import { languageOfScope } from "../../src/documents/calibration.js";
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

export interface Outcome {
  readonly requestId: string;
  /** Whether the request belonged to a different workflow, or to none. */
  readonly wrong: boolean;
}

export interface LiveClaim {
  /** Language of the routes that the claim is about; null: all. */
  readonly language: string | null;
  /** Largest share of wrong routes under the claim. */
  readonly limit: number;
  readonly labels: number;
  readonly wrong: number;
  /** Evidence against the claim; at 1 it is refuted. */
  readonly evidence: number;
  /** Largest share of wrong routes that these labels alone show, stricter than the claim; null if they show none. */
  readonly stricter_limit: number | null;
  readonly verdict: "holds" | "does_not_hold" | "cannot_say_yet";
}

export interface LiveRiskState {
  readonly bundle_id: string | null;
  /** The claim over all tiers, or those of the languages; empty without one. */
  readonly claims: readonly LiveClaim[];
  /** Routes of a text that was drawn before: it counts once in the test, however often it comes. */
  readonly repeats: number;
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

/** E-value at which a single claim is refuted, or shown to hold, at the 5% level; of several claims, each needs as many times that. */
const decisive = 20;
/** Stricter limits, as shares of the claim's, each shown only after the one before it. */
const stricterShares = [0.5, 0.2] as const;

/** Tests of a claim, and of stricter ones. */
class LiveTest {
  readonly limit: number;
  readonly test: RiskBetting;
  readonly #stricter: readonly { readonly limit: number; readonly test: RiskBetting }[];
  #shown = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.test = new RiskBetting(limit);
    const limits = stricterShares.map((share) => Number((share * limit).toPrecision(12)));
    this.#stricter = limits.map((own) => ({ limit: own, test: new RiskBetting(own) }));
  }

  /** @param needed  e-value that shows a limit */
  add(wrong: boolean, needed: number): void {
    this.test.add(wrong);
    for (const { test } of this.#stricter) test.add(wrong);
    while ((this.#stricter[this.#shown]?.test.inFavour ?? 0) >= needed) this.#shown += 1;
  }

  get stricterLimit(): number | null {
    return this.#stricter[this.#shown - 1]?.limit ?? null;
  }
}

/** What metrics show without a claim. */
const withoutClaim: LiveClaim = {
  language: null,
  limit: 1,
  labels: 0,
  wrong: 0,
  evidence: 0,
  stricter_limit: null,
  verdict: "cannot_say_yet",
};

/** Maximum number of sampled routes that wait for a label. */
const mostWaiting = 500;
/** Number of most recent distinct texts whose repetitions are not drawn. */
const repeatWindow = 10_000;
/** Maximum number of request ids in a report. */
const mostShown = 20;

/**
 * Tests on labelled routes the claims of the active bundle that at most `limit` of the routes are wrong. The routes to
 * label are a uniform sample of the distinct texts: those with the smallest keyed hashes. Outcomes of other routes are
 * ignored. Restarts with each bundle. Stores request ids and digests, but no texts.
 */
export class LiveRisk implements TelemetrySink {
  readonly #options: LiveRiskOptions;
  #bundleId: BundleId | null = null;
  #tests: ReadonlyMap<string | null, LiveTest> = new Map();
  /** Sampled routes without an outcome, by request id. */
  #waiting = new Map<string, { readonly hash: string; readonly language: string | null }>();
  #texts = new RepeatWindow(repeatWindow);
  #repeats = 0;

  constructor(options: LiveRiskOptions) {
    this.#options = options;
  }

  emit(event: TelemetryEvent): void {
    if (event.event !== "sluice.decision" || !isRoutedByScore(event.reason_code)) return;
    this.#followActive();
    const { language = null } = event;
    if (!this.#tests.has(language) || event.bundle_id !== this.#bundleId) return;
    if (this.#texts.repeats(event.text_digest)) {
      this.#repeats += 1;
      return;
    }
    const hash = createHmac("sha256", this.#options.seed).update(event.request_id).digest("hex");
    this.#waiting.set(event.request_id, { hash, language });
    if (this.#waiting.size <= mostWaiting) return;
    let [last, largest] = ["", ""];
    for (const [id, own] of this.#waiting) if (own.hash > largest) [last, largest] = [id, own.hash];
    this.#waiting.delete(last);
  }

  /** Records the outcomes of sampled routes. */
  report(outcomes: readonly Outcome[]): ReportedOutcomes {
    this.#followActive();
    let counted = 0;
    for (const { requestId, wrong } of outcomes) {
      const drawn = this.#waiting.get(requestId);
      if (drawn === undefined) continue;
      this.#waiting.delete(requestId);
      this.#tests.get(drawn.language)?.add(wrong, this.#needed);
      counted += 1;
    }
    return { counted, ignored: outcomes.length - counted };
  }

  state(): LiveRiskState {
    this.#followActive();
    const next = [...this.#waiting].sort(([, a], [, b]) => (a.hash < b.hash ? -1 : 1)).slice(0, mostShown);
    return {
      bundle_id: this.#bundleId,
      claims: [...this.#tests].map(([language, { limit, test, stricterLimit }]) => ({
        language,
        limit,
        labels: test.labels,
        wrong: test.wrong,
        evidence: test.against / this.#needed,
        stricter_limit: stricterLimit,
        verdict: verdictOf(test, this.#needed),
      })),
      repeats: this.#repeats,
      next: next.map(([id]) => id),
    };
  }

  families(): readonly MetricFamily[] {
    const { claims, repeats } = this.state();
    const shown = claims.length === 0 ? [withoutClaim] : claims;
    const gauge = (name: string, help: string, valueOf: (claim: LiveClaim) => number): MetricFamily => ({
      name,
      help,
      type: "gauge",
      samples: shown.map((claim) => ({
        labels: claim.language === null ? {} : { language: claim.language },
        value: valueOf(claim),
      })),
    });
    return [
      gauge(
        "sluice_live_risk_limit",
        "Largest share of wrong routes that the bundle claims; 1 without a claim.",
        ({ limit }) => limit,
      ),
      gauge("sluice_live_risk_labels", "Sampled routes with a label.", ({ labels }) => labels),
      gauge("sluice_live_risk_wrong", "Sampled routes labelled wrong.", ({ wrong }) => wrong),
      {
        name: "sluice_live_risk_repeats",
        help: "Routes of a text that was drawn before, which count once.",
        type: "gauge",
        samples: [{ labels: {}, value: repeats }],
      },
      gauge("sluice_live_risk_evidence", "Evidence against the claim; 1 refutes it.", ({ evidence }) => evidence),
      gauge("sluice_live_risk_refuted", "1 where labelled routes refute the claim.", ({ verdict }) =>
        Number(verdict === "does_not_hold"),
      ),
    ];
  }

  get #needed(): number {
    return decisive * this.#tests.size;
  }

  #followActive(): void {
    const router = this.#options.active();
    if (router === null || router.bundleId === this.#bundleId) return;
    this.#bundleId = router.bundleId;
    this.#tests = new Map(
      (router.monitor?.calibration.claims ?? [])
        .filter(({ scope, certified }) => certified && (scope === "overall" || languageOfScope(scope) !== null))
        .map(({ scope, target_risk: limit }) => [languageOfScope(scope), new LiveTest(limit)]),
    );
    this.#waiting = new Map();
    this.#texts = new RepeatWindow(repeatWindow);
    this.#repeats = 0;
  }
}

function verdictOf({ against, inFavour }: RiskBetting, needed: number): LiveClaim["verdict"] {
  if (against >= needed) return "does_not_hold";
  return inFavour >= needed ? "holds" : "cannot_say_yet";
}
