import type { BundleId } from "../../../src/documents/primitives.js";
import type { Calibration, FollowUpClaim } from "../../../src/documents/calibration.js";
import { RepeatWindow, DriftWatch } from "../../../serve/drift/drift-watch.js";
import type { DecisionEvent } from "../../../src/router/telemetry/sink.js";
import { expectedRates } from "../../../src/documents/expected-rates.js";
import { expositionText } from "../../../serve/metrics/exposition.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../support/test.js";
import { aCalibration } from "../../support/builders.js";
import { RecordingSink } from "../support/http.js";
import { parseExposition, sampleValue } from "../support/parse-exposition.js";

/** Of 1,000 CERTIFY requests of the low tier 600 are routed at 0.8, and 300 of those are at least 0.95 sure. */
function calibration(): Calibration {
  const base = aCalibration();
  const off = { confidence: null, margin: null, certify_requests: 0, routed: 0, curve: [] };
  const low = {
    confidence: 0.8,
    margin: 0,
    certify_requests: 1000,
    routed: 600,
    curve: [
      { confidence: 0.95, routed: 300 },
      { confidence: 0.8, routed: 600 },
    ],
  };
  const tier = (change: object) => ({ ...base.tiers.low, ...change });
  return {
    ...base,
    tiers: { low: tier(low), medium: tier(off), high: tier(off), critical: tier(off) },
    traffic: { ...base.traffic, expected: { ...base.traffic.expected, coverage: 0.6 } },
  };
}

let texts = 0;
const decision = (routed: boolean, confidence: number, bundleId = "b1"): DecisionEvent => ({
  event: "sluice.decision",
  request_id: "r",
  decision: routed ? "ROUTE" : "LLM_REQUIRED",
  workflow_id: routed ? "w" : null,
  follow_up: false,
  confidence,
  margin: 0.5,
  risk_tier: "low",
  reason_code: routed ? "ACCEPTED_LOW_RISK" : "BELOW_RISK_THRESHOLD",
  missing_input_count: 0,
  confirmation_required: false,
  model_version: "m",
  calibration_version: "c",
  catalog_version: "k",
  runtime_mode: "production",
  bundle_id: bundleId as BundleId,
  latency_ms: 1,
  text_digest: `text ${texts++}`,
  stages_ms: {},
});

function watched(signed: Calibration = calibration()) {
  const monitor = {
    calibration: signed,
    release: null,
    environment: null,
    deadlineMs: 2000,
    approvedUntil: () => null,
    statistics: () => assert.unreachable() as never,
  };
  const active = { bundleId: "b1" as BundleId | null, monitor };
  const telemetry = new RecordingSink();
  const watch = new DriftWatch({ active: () => active, telemetry });
  const random = seededRandom(7);
  const feed = (count: number, routedShare: number, confidence: number): void => {
    for (let i = 0; i < count; i += 1) watch.emit(decision(random.uniform() < routedShare, confidence));
  };
  const value = (name: string, statistic: string): number | undefined =>
    sampleValue(parseExposition(expositionText(watch.families())), name, { statistic });
  return { active, telemetry, watch, feed, value };
}

test("the signed counts give an interval for coverage, confidence and abstention", () => {
  const rates = expectedRates(calibration());
  assert.equal(
    rates.map(({ statistic, tier }) => [statistic, tier]),
    [
      ["coverage", "low"],
      ["confidence", "low"],
      ["abstention", "all"],
    ],
  );
  const limits = rates.map(({ lower, upper }) => [lower, upper].map((limit) => Math.round(limit * 1000) / 1000));
  // Clopper-Pearson at 99% of 600 in 1,000; 0.8 and 0.15 more for half of them, less Hoeffding's error of 600.
  assert.equal(limits, [
    [0.559, 0.64],
    [0.813, 1],
    [0.36, 0.441],
  ]);
});

test("traffic like the CERTIFY fold gives no alarm, and the live means are shown", () => {
  const { watch, feed, value, telemetry } = watched();
  feed(20_000, 0.6, 0.9);
  assert.is(watch.drifting(), false);
  assert.ok(Math.abs((value("sluice_drift_live", "coverage") ?? 0) - 0.6) < 0.06);
  assert.ok(Math.abs((value("sluice_drift_live", "confidence") ?? 0) - 0.9) < 1e-9);
  assert.is(value("sluice_drift_alarm", "coverage"), 0);
  assert.is(telemetry.events.length, 0);
});

test("fewer routes than were certified give an alarm that ends by itself when they are back", () => {
  const { watch, feed, value, telemetry } = watched();
  feed(1000, 0.4, 0.9);
  assert.is(watch.drifting(), true);
  assert.is(value("sluice_drift_alarm", "coverage"), 1);
  const [event] = telemetry.events.filter((found) => found.event === "sluice.drift");
  assert.equal([event?.tier, event?.drifting, event?.bundle_id], ["low", true, "b1"]);
  feed(60_000, 0.6, 0.9);
  assert.is(watch.drifting(), false);
  assert.is(telemetry.events.filter((found) => found.event === "sluice.drift" && !found.drifting).length, 2);
});

test("confidences below the certified ones give an alarm even while the coverage is right", () => {
  const { watch, feed, value } = watched();
  feed(4000, 0.6, 0.8);
  assert.equal([value("sluice_drift_alarm", "coverage"), value("sluice_drift_alarm", "confidence")], [0, 1]);
  assert.is(watch.drifting(), true);
});

test("12 deployments whose clients repeat every request five times raise no alarm in 100,000 decisions", () => {
  for (let deployment = 0; deployment < 12; deployment += 1) {
    const { watch } = watched();
    const random = seededRandom(100 + deployment);
    for (let request = 0; request < 20_000; request += 1) {
      const event = decision(random.uniform() < 0.6, 0.9);
      for (let repeat = 0; repeat < 5; repeat += 1) watch.emit(event);
      if (request % 100 === 0) assert.is(watch.drifting(), false, `deployment ${deployment}, request ${request}`);
    }
  }
});

test("a request that is asked about counts as one that thresholds declined", () => {
  const { watch, value } = watched();
  watch.emit({ ...decision(false, 0.4), decision: "CLARIFY", reason_code: "ASK_BETWEEN" });
  assert.equal([value("sluice_drift_live", "coverage"), value("sluice_drift_live", "abstention")], [0, 1]);
});

test("follow-ups have a rate of their own, and move none of the requests that stand alone", () => {
  const claim = { threshold: 0.9, routed: 300 } as FollowUpClaim;
  const signed = {
    ...calibration(),
    follow_ups: {
      requests: 1000,
      out_of_scope: 0,
      conversations: 400,
      closings: 0,
      closings_wrong: 0,
      tiers: ["low" as const],
      repeats: claim,
      changes: { ...claim, threshold: null },
    },
  };
  const { watch, feed, value } = watched(signed);
  const follow = (count: number, routedShare: number): void => {
    const random = seededRandom(3);
    for (let i = 0; i < count; i += 1) {
      const routed = random.uniform() < routedShare;
      const declined = i % 2 === 0 ? ("CONTEXT_NEEDED" as const) : ("WORKFLOW_NOT_CERTIFIED" as const);
      const reason_code = routed ? ("FOLLOW_UP_ACCEPTED" as const) : declined;
      watch.emit({ ...decision(routed, 0.9), follow_up: true, reason_code, text_digest: "yes" });
    }
  };
  feed(2000, 0.6, 0.9);
  follow(20_000, 0.3);
  assert.is(watch.drifting(), false);
  assert.ok(Math.abs((value("sluice_drift_live", "follow_ups") ?? 0) - 0.3) < 0.05);
  follow(2000, 0.1);
  assert.equal([value("sluice_drift_alarm", "follow_ups"), value("sluice_drift_alarm", "abstention")], [1, 0]);
  const { watch: unlabelled, value: of } = watched();
  unlabelled.emit({ ...decision(false, 0.9), follow_up: true, reason_code: "CONTEXT_NEEDED" });
  assert.equal([of("sluice_drift_live", "follow_ups"), of("sluice_drift_live", "abstention")], [undefined, undefined]);
});

test("a repeated text counts once within its window, and again after it", () => {
  const window = new RepeatWindow(2);
  assert.equal(
    ["a", "a", "b", "a", "c", "b", "a"].map((digest) => window.repeats(digest)),
    [false, true, false, true, false, false, false],
  );
});

test("decisions about the server and those of a bundle that was left do not count", () => {
  const { watch, value, active } = watched();
  for (let i = 0; i < 5000; i += 1) {
    watch.emit({ ...decision(false, 0), reason_code: "BACKEND_UNAVAILABLE", risk_tier: null });
    watch.emit(decision(false, 0, "b0"));
  }
  assert.is(watch.drifting(), false);
  watch.emit(decision(true, 0.9));
  assert.is(value("sluice_drift_live", "coverage"), 1);
  active.bundleId = "b2" as BundleId;
  assert.is(value("sluice_drift_live", "coverage"), undefined);
  watch.emit(decision(false, 0.1, "b2"));
  assert.is(value("sluice_drift_live", "coverage"), 0, "another bundle starts again");
});
