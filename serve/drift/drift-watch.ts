import type { ReasonCode } from "../../src/domain/decision.js";
import type { BundleId } from "../../src/domain/primitives.js";
import type { Router } from "../../src/domain/router.js";
import { MeanShiftDetector } from "../../src/stats/mean-shift-detector.js";
import { type DecisionEvent, emitSafely, type TelemetryEvent, type TelemetrySink } from "../../src/telemetry/sink.js";
import type { Labels, MetricFamily, Sample } from "../metrics/exposition.js";
import { type ExpectedRate, expectedRates } from "./expected-rates.js";
import { SlidingMean } from "./sliding-mean.js";

export interface DriftWatchOptions {
  /** The router that is active now; null while none is. */
  readonly active: () => Pick<Router, "bundleId" | "monitor"> | null;
  /** Called when a statistic starts or stops drifting. */
  readonly telemetry: TelemetrySink;
}

/** Minimum average number of decisions between false alarms, over all statistics. */
export const decisionsBetweenFalseAlarms = 1_000_000;

/** A decision counts in at most three statistics, each watched in two directions. */
const threshold = 6 * decisionsBetweenFalseAlarms;
/** An alarm ends when its evidence has shrunk to this share of the threshold. */
const endShare = 0.01;
/** Window of the live mean, in values. */
const windowSize = 1000;

const accepted: readonly ReasonCode[] = [
  "ACCEPTED_LOW_RISK",
  "ACCEPTED_MEDIUM_RISK",
  "ACCEPTED_HIGH_RISK",
  "ACCEPTED_CRITICAL_RISK",
];
/** Decisions that only thresholds can change. */
const routable: ReadonlySet<ReasonCode> = new Set([...accepted, "BELOW_RISK_THRESHOLD", "AMBIGUOUS_CANDIDATES"]);
/** Decisions about the content of a request, not about a server, a caller or a malformed request. */
const judged: ReadonlySet<ReasonCode> = new Set([
  ...routable,
  "MISSING_REQUIRED_INPUT",
  "WORKFLOW_NOT_CERTIFIED",
  "LOW_CONFIDENCE_MISSING_INPUT",
  "NO_WORKFLOW",
  "OPEN_ENDED_REASONING",
  "MULTI_ACTION_UNSUPPORTED",
]);

interface Stream {
  readonly expected: ExpectedRate;
  readonly detector: MeanShiftDetector;
  readonly live: SlidingMean;
  drifting: boolean;
}

/**
 * Compares decisions of the active bundle with its signed calibration, from counters only. Restarts with each bundle.
 */
export class DriftWatch implements TelemetrySink {
  readonly #options: DriftWatchOptions;
  #bundleId: BundleId | null = null;
  #streams: readonly Stream[] = [];

  constructor(options: DriftWatchOptions) {
    this.#options = options;
  }

  /** true while a statistic drifts. */
  drifting(): boolean {
    this.#followActive();
    return this.#streams.some((stream) => stream.drifting);
  }

  emit(event: TelemetryEvent): void {
    if (event.event !== "sluice.decision") return;
    this.#followActive();
    // A response in flight during a replacement belongs to the previous bundle.
    if (event.bundleId !== this.#bundleId) return;
    for (const stream of this.#streams) {
      const value = valueOf(stream.expected, event);
      if (value !== null) this.#add(stream, value);
    }
  }

  families(): readonly MetricFamily[] {
    this.#followActive();
    const gauge = (name: string, help: string, valueOfStream: (stream: Stream) => number | null): MetricFamily => {
      const samples = this.#streams.flatMap((stream): Sample[] => {
        const value = valueOfStream(stream);
        return value === null ? [] : [{ labels: labelsOf(stream.expected), value }];
      });
      return { name, help, type: "gauge", samples };
    };
    return [
      gauge("sluice_drift_alarm", "1 while live decisions differ from the signed calibration.", ({ drifting }) =>
        drifting ? 1 : 0,
      ),
      gauge("sluice_drift_live", "Mean over about the latest 1,000 decisions of the statistic.", ({ live }) =>
        live.mean(),
      ),
      gauge("sluice_drift_expected_lower", "Lower limit by the signed calibration.", ({ expected }) => expected.lower),
      gauge("sluice_drift_expected_upper", "Upper limit by the signed calibration.", ({ expected }) => expected.upper),
      gauge(
        "sluice_drift_evidence",
        "Evidence of a shift as a share of what an alarm needs.",
        ({ detector }) => detector.evidence / threshold,
      ),
    ];
  }

  #followActive(): void {
    const router = this.#options.active();
    if (router === null || router.bundleId === this.#bundleId) return;
    this.#bundleId = router.bundleId;
    const expected = router.monitor === null ? [] : expectedRates(router.monitor.calibration);
    this.#streams = expected.map((rate) => ({
      expected: rate,
      detector: new MeanShiftDetector(rate.lower, rate.upper, threshold),
      live: new SlidingMean(windowSize),
      drifting: false,
    }));
  }

  #add(stream: Stream, value: number): void {
    stream.detector.add(value);
    stream.live.add(value);
    const { evidence } = stream.detector;
    const drifting = evidence >= (stream.drifting ? threshold * endShare : threshold);
    if (drifting === stream.drifting) return;
    stream.drifting = drifting;
    const { statistic, tier, lower, upper } = stream.expected;
    emitSafely(this.#options.telemetry, {
      event: "sluice.drift",
      statistic,
      tier,
      drifting,
      live: stream.live.mean(),
      expectedLower: lower,
      expectedUpper: upper,
      bundleId: this.#bundleId,
    });
  }
}

function labelsOf({ statistic, tier }: ExpectedRate): Labels {
  return { statistic, tier };
}

/** What a decision adds to a statistic; null when it is not about it. */
function valueOf({ statistic, tier }: ExpectedRate, event: DecisionEvent): number | null {
  const { decision, reasonCode, riskTier, confidence } = event;
  const routed = decision === "ROUTE";
  switch (statistic) {
    case "abstention":
      return judged.has(reasonCode) ? Number(!routed) : null;
    case "coverage":
      return riskTier === tier && routable.has(reasonCode) ? Number(routed) : null;
    case "confidence":
      return riskTier === tier && routed && routable.has(reasonCode) ? confidence : null;
  }
}
