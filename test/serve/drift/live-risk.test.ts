import { LiveRisk } from "../../../serve/drift/live-risk.js";
import type { BundleId } from "../../../src/documents/primitives.js";
import type { DecisionEvent } from "../../../src/router/telemetry/sink.js";
import { assert, test } from "../../support/test.js";
import { aClaim, aMonitoredCalibration, anEvent } from "./live-fixtures.js";

function watched(certified = true) {
  const calibration = aMonitoredCalibration([aClaim({ target_risk: 0.1, certified })]);
  const active = { bundleId: "b1" as BundleId | null, monitor: { ...calibration } };
  const risk = new LiveRisk({ active: () => active, seed: Buffer.from("seed") });
  const route = (id: string, change: Partial<DecisionEvent> = {}): void => risk.emit({ ...anEvent(id), ...change });
  return { risk, route, active };
}

test("drawn routes with outcomes refute a claim that does not hold, and state and metrics say so", () => {
  const { risk, route } = watched();
  for (let i = 0; i < 200; i += 1) route(`r${i}`);
  const [before] = risk.state().claims;
  assert.equal([before?.limit, before?.verdict, risk.state().next.length], [0.1, "cannot_say_yet", 20]);
  const outcomes = Array.from({ length: 120 }, (_, i) => ({ requestId: `r${i}`, wrong: i % 3 === 0 }));
  assert.equal(risk.report(outcomes), { counted: 120, ignored: 0 });
  const [after] = risk.state().claims;
  assert.equal([after?.verdict, after?.labels, after?.wrong], ["does_not_hold", 120, 40]);
  const refuted = risk.families().find(({ name }) => name === "sluice_live_risk_refuted");
  assert.is(refuted?.samples[0]?.value, 1);
});

test("good outcomes show a stricter limit than the claim, and another bundle starts without it", () => {
  const { risk, route, active } = watched();
  for (let i = 0; i < 400; i += 1) route(`r${i}`);
  const good = (from: number, to: number) =>
    risk.report(Array.from({ length: to - from }, (_, i) => ({ requestId: `r${from + i}`, wrong: false })));
  good(0, 50);
  assert.is(risk.state().claims[0]?.stricter_limit, null);
  good(50, 120);
  assert.is(risk.state().claims[0]?.stricter_limit, 0.05);
  good(120, 320);
  assert.is(risk.state().claims[0]?.stricter_limit, 0.02);
  active.bundleId = "b2" as BundleId;
  assert.is(risk.state().claims[0]?.stricter_limit, null);
});

test("outcomes of routes that were not drawn, repeated ones, and requests that were not routed do not count", () => {
  const { risk, route } = watched();
  for (let i = 0; i < 2000; i += 1) route(`r${i}`);
  route("declined", { decision: "LLM_REQUIRED", reason_code: "BELOW_RISK_THRESHOLD", workflow_id: null });
  const all = Array.from({ length: 2000 }, (_, i) => ({ requestId: `r${i}`, wrong: false }));
  assert.equal(risk.report(all), { counted: 500, ignored: 1500 });
  assert.equal(risk.report([...all, { requestId: "declined", wrong: true }, { requestId: "made up", wrong: true }]), {
    counted: 0,
    ignored: 2002,
  });
});

test("routes that no claim is about are not drawn: by event, and of texts that follow another one", () => {
  const { risk, route } = watched();
  route("event", { reason_code: "EXACT_EVENT_RULE" });
  route("follow-up", { reason_code: "FOLLOW_UP_ACCEPTED" });
  assert.equal(risk.state().next, []);
});

test("a text counts once in the test, however often it comes, and its repeats are shown", () => {
  const { risk, route } = watched();
  for (let i = 0; i < 100; i += 1) route(`r${i}`, { text_digest: `text ${i % 20}` });
  const all = Array.from({ length: 100 }, (_, i) => ({ requestId: `r${i}`, wrong: true }));
  assert.equal(risk.report(all), { counted: 20, ignored: 80 });
  assert.equal([risk.state().claims[0]?.labels, risk.state().repeats], [20, 80]);
  route("again", { text_digest: "text 3" });
  assert.is(risk.report([{ requestId: "again", wrong: true }]).counted, 0, "also after its outcome");
});

test("which routes are drawn follows from the seed and the ids, not from their order", () => {
  const drawn = (order: readonly number[]): readonly string[] => {
    const { risk, route } = watched();
    for (const i of order) route(`r${i}`);
    return risk.state().next;
  };
  const ids = Array.from({ length: 1000 }, (_, i) => i);
  assert.equal(drawn(ids), drawn(ids.toReversed()));
});

test("claims about languages are tested apart, at the level of one", () => {
  const ofLanguage = (language: string) => aClaim({ scope: `language:${language}`, target_risk: 0.1 });
  const active = { bundleId: "b1" as BundleId, monitor: aMonitoredCalibration(["de", "fr"].map(ofLanguage)) };
  const risk = new LiveRisk({ active: () => active, seed: Buffer.from("seed") });
  for (let i = 0; i < 200; i += 1) risk.emit({ ...anEvent(`r${i}`), language: i % 2 === 0 ? "de" : "fr" });
  risk.emit({ ...anEvent("it"), language: "it" });
  risk.report(Array.from({ length: 200 }, (_, i) => ({ requestId: `r${i}`, wrong: i % 4 === 0 })));
  assert.equal(
    risk.state().claims.map(({ language, labels, wrong, verdict }) => [language, labels, wrong, verdict]),
    [
      ["de", 100, 50, "does_not_hold"],
      ["fr", 100, 0, "holds"],
    ],
  );
  assert.ok(!risk.state().next.includes("it"));
  const refuted = risk.families().find(({ name }) => name === "sluice_live_risk_refuted");
  assert.equal(refuted?.samples, [
    { labels: { language: "de" }, value: 1 },
    { labels: { language: "fr" }, value: 0 },
  ]);
});

test("another bundle starts again, and without a certified claim over all tiers there is nothing to test", () => {
  const { risk, route, active } = watched();
  route("r1");
  assert.equal(risk.report([{ requestId: "r1", wrong: true }]), { counted: 1, ignored: 0 });
  active.bundleId = "b2" as BundleId;
  assert.equal([risk.state().claims[0]?.labels, risk.state().bundle_id], [0, "b2"]);
  const none = watched(false);
  none.route("r1");
  assert.equal(none.risk.state().claims, []);
  const values = none.risk.families().map(({ name, samples }) => [name, samples.map(({ value }) => value)]);
  assert.equal(
    values.find(([name]) => name === "sluice_live_risk_limit"),
    ["sluice_live_risk_limit", [1]],
  );
});
