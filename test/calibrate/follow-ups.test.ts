import { certifyFollowUps } from "../../calibrate/follow-ups.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { procedureOf } from "../../calibrate/procedure.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { CalibrationSchema } from "../../src/documents/calibration.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { decide } from "../../src/router/policy/decide.js";
import { assert, test } from "../support/test.js";
import { conversationWorlds, followUpRecords, openGates, runConversations } from "./guarantee/conversations.js";
import { digests, syntheticRecords } from "./synthetic-records.js";

const world = { name: "four turns alike", turns: 4, spread: 1 };
const records = followUpRecords(world, { conversations: 400, seed: 1 });
const followUps = { requestsSha256: sha256Hex("rows"), recordsSha256: sha256Hex("scores"), records, attempt: 1 };
const fit = procedureOf({ target_risk: 0.1, claim: "fixed-catalog" });
const input = {
  records: syntheticRecords({
    seed: 1,
    folds: ["tune", "certify"],
    workflows: 20,
    requestsPerWorkflow: 25,
    outOfScopeGroups: 10,
    requestsPerGroup: 5,
    candidates: 3,
    difficulty: 0.25,
  }),
  target_risk: 0.1,
  claim: "fixed-catalog" as const,
  digests,
  version: "2026-01",
};

test("follow-ups leave every byte of the claims about requests that stand alone as it was", () => {
  const { follow_ups: claims, fit: stated, ...rest } = fitCalibration({ ...input, followUps });
  const { fit: before, ...alone } = fitCalibration(input);
  const { follow_ups: named, ...options } = stated;
  assert.is(canonicalJson(rest), canonicalJson(alone));
  assert.equal(options, before);
  assert.is(named?.rows, records.length);
  checkSchema(CalibrationSchema, { ...rest, follow_ups: claims, fit: stated }, "calibration");
});

test("repeats and changes have their own thresholds, half of the level each, and requests of one conversation count as fewer", () => {
  const { repeats, changes } = certifyFollowUps(records, openGates, fit);
  assert.is(repeats.delta, fit.delta / 2);
  assert.is(changes.delta, fit.delta / 2);
  assert.match(repeats.sentence, /repeats its workflow, at most 10% .* provided the caller names the workflow/);
  assert.match(repeats.sentence, /conversations, which are independent of each other/);
  assert.ok(repeats.threshold !== null && repeats.effective_routed < repeats.routed, `${repeats.effective_routed}`);
  assert.match(changes.sentence, /^No request that follows another one and changes its workflow is routed: /);
});

test("a claim with too few follow-ups leaves its level to the other", () => {
  const kept = records.filter(({ workflow_id: gold, followUp }) => gold === followUp?.previous || gold === null);
  const { repeats, changes } = certifyFollowUps(kept, openGates, fit);
  assert.is(changes.threshold, null);
  assert.is(repeats.delta, fit.delta);
});

test("the same errors in fewer conversations are weaker evidence", () => {
  const together = records.map((each, index) => ({ ...each, cluster: `conversation:${index % 20}` }));
  const apart = records.map((each) => ({ ...each, cluster: `conversation:${each.id}` }));
  const worthOf = (of: typeof records): number => {
    const { routed, effective_routed: effective } = certifyFollowUps(of, openGates, fit).repeats;
    return effective / routed;
  };
  assert.is(worthOf(apart), 1);
  assert.ok(worthOf(together) < 0.5, `${worthOf(together)}`);
});

test("a later test of follow-ups has a smaller level", () => {
  const level = (attempt: number) => fitCalibration({ ...input, followUps: { ...followUps, attempt } }).follow_ups;
  assert.ok((level(2)?.repeats.delta ?? 1) < (level(1)?.repeats.delta ?? 0));
});

test("a calibration with claims about follow-ups routes them, and one without only where the text alone agrees", () => {
  const calibration = { ...fitCalibration(input), certified_workflows: null };
  const follow_ups = certifyFollowUps(records, openGates, fit);
  const routed = (thresholds: Parameters<typeof decide>[1]) =>
    records.map((each) => decide(each, thresholds)).filter(({ decision }) => decision === "ROUTE");
  const [now, before] = [routed({ ...calibration, follow_ups }), routed(calibration)];
  assert.ok(now.length > before.length);
  assert.equal([...new Set(now.map(({ reason_code: reason }) => reason))], ["FOLLOW_UP_ACCEPTED"]);
});

test("the claims hold where the turns of a conversation are right or wrong together", () => {
  for (const one of conversationWorlds) {
    const { repeats } = runConversations(one, { conversations: 300, repetitions: 6, target: 0.1, seed: 5 });
    assert.ok(repeats.violations <= 1, `${one.name}: ${repeats.violations}`);
  }
});
