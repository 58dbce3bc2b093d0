import type { BundleId } from "../../src/documents/primitives.js";
import type { Router } from "../../src/documents/router.js";
import { driftValue, type ExpectedRate, expectedRates } from "../../src/documents/expected-rates.js";
import { MeanShiftDetector } from "../../src/base/numbers/mean-shift-detector.js";
import { emitSafely, type TelemetryEvent, type TelemetrySink } from "../../src/router/telemetry/sink.js";
import type { Labels, MetricFamily, Sample } from "../metrics/exposition.js";

const blocks = 20;

/** Mean of the latest values. Stores only counters, not the values. */
class SlidingMean {
  readonly #blockSize: number;
  readonly #blocks: { count: number; sum: number }[] = [];

  /**
   * @param size  length of the window in values, a multiple of 20; the mean covers the latest 95% to 100% of it
   */
  constructor(size: number) {
    this.#blockSize = size / blocks;
  }

  add(value: number): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.count >= this.#blockSize) {
      block = { count: 0, sum: 0 };
      this.#blocks.push(block);
      if (this.#blocks.length > blocks) this.#blocks.shift();
    }
    block.count += 1;
    block.sum += value;
  }

  /** null if there are no values. */
  mean(): number | null {
    const count = this.#blocks.reduce((total, block) => total + block.count, 0);
    return count === 0 ? null : this.#blocks.reduce((total, block) => total + block.sum, 0) / count;
  }
}

/** Remembers the most recent distinct digests, so that a repeated text counts once. */
export class RepeatWindow {
  readonly #size: number;
  readonly #latest = new Set<string>();

  /** @param size  digests to remember, at least 1 */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether the digest is remembered; makes it the most recent one. */
  repeats(digest: string): boolean {
    const known = this.#latest.delete(digest);
    this.#latest.add(digest);
    if (this.#latest.size > this.#size) this.#latest.delete(this.#latest.values().next().value ?? "");
    return known;
  }
}

export interface DriftWatchOptions {
  /** The active router; null if there is none. */
  readonly active: () => Pick<Router, "bundleId" | "monitor"> | null;
  /** Called when a statistic starts or stops drifting. */
  readonly telemetry: TelemetrySink;
}

/** Minimum average number of decisions between false alarms, over all statistics. */
export const decisionsBetweenFalseAlarms = 1_000_000;

/** A decision counts in at most three statistics, each watched in two directions. */
const threshold = 6 * decisionsBetweenFalseAlarms;
/** An alarm ends when the statistic has dropped to this share of the threshold. */
const endShare = 0.01;
/** Length of the window of the live mean, in values. */
const windowSize = 1000;

/** Number of most recent distinct texts whose repetitions are not counted. */
const repeatWindow = 10_000;

interface Stream {
  readonly expected: ExpectedRate;
  readonly detector: MeanShiftDetector;
  readonly live: SlidingMean;
  drifting: boolean;
}

/**
 * Compares decisions of the active bundle with its signed calibration, using only counters. Restarts with each bundle.
 */
export class DriftWatch implements TelemetrySink {
  readonly #options: DriftWatchOptions;
  #bundleId: BundleId | null = null;
  #streams: readonly Stream[] = [];
  #repeats = new RepeatWindow(repeatWindow);

  constructor(options: DriftWatchOptions) {
    this.#options = options;
  }

  /** Whether any statistic is drifting. */
  drifting(): boolean {
    this.#followActive();
    return this.#streams.some((stream) => stream.drifting);
  }

  emit(event: TelemetryEvent): void {
    if (event.event !== "sluice.decision") return;
    this.#followActive();
    // A response that was in flight during a replacement belongs to the previous bundle.
    if (event.bundle_id !== this.#bundleId) return;
    const { reason_code: reasonCode, risk_tier: riskTier, follow_up: followUp, confidence } = event;
    // Retries and templated texts are not new evidence: the intervals count independent requests. Many conversations have the same
    // follow-up, such as "yes".
    if (!followUp && this.#repeats.repeats(event.text_digest)) return;
    const counted = { routed: event.decision === "ROUTE", followUp, reasonCode, riskTier, confidence };
    for (const stream of this.#streams) {
      const value = driftValue(stream.expected, counted);
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
      gauge("sluice_drift_expected_lower", "Lower limit in the signed calibration.", ({ expected }) => expected.lower),
      gauge("sluice_drift_expected_upper", "Upper limit in the signed calibration.", ({ expected }) => expected.upper),
      gauge(
        "sluice_drift_evidence",
        "Evidence of a shift; 1 raises an alarm.",
        ({ detector }) => detector.statistic / threshold,
      ),
    ];
  }

  #followActive(): void {
    const router = this.#options.active();
    if (router === null || router.bundleId === this.#bundleId) return;
    this.#bundleId = router.bundleId;
    this.#repeats = new RepeatWindow(repeatWindow);
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
    const { statistic: reached } = stream.detector;
    const drifting = reached >= (stream.drifting ? threshold * endShare : threshold);
    if (drifting === stream.drifting) return;
    stream.drifting = drifting;
    const { statistic, tier, lower, upper } = stream.expected;
    emitSafely(this.#options.telemetry, {
      event: "sluice.drift",
      statistic,
      tier,
      drifting,
      live: stream.live.mean(),
      expected_lower: lower,
      expected_upper: upper,
      bundle_id: this.#bundleId,
    });
  }
}

function labelsOf({ statistic, tier }: ExpectedRate): Labels {
  return { statistic, tier };
}
