import { statementOf } from "../../src/documents/calibration.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import { claimOutcome } from "../../reports/claim-outcome.js";
import { headline } from "../../reports/headline.js";
import { describeLanguages } from "../../reports/text/calibration-text.js";
import type { FitChoices } from "../../calibrate/procedure.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { decide } from "../../src/router/policy/decide.js";
import { readCalibrationDocument } from "../../src/router/policy/read-calibration.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { assert, test } from "../support/test.js";
import { candidate, digests, syntheticRecords } from "./synthetic-records.js";

/** Requests that may be in these languages; the higher the difficulty, the more first candidates are wrong. */
function requests(languages: readonly string[], difficulty: number, workflows: number): readonly ScoredRecord[] {
  const world = {
    folds: ["tune", "certify"],
    requestsPerWorkflow: 12,
    outOfScopeGroups: 4,
    requestsPerGroup: 2,
  } as const;
  const records = syntheticRecords({ ...world, seed: 5, workflows, candidates: 3, difficulty, tiers: ["low", "high"] });
  return records.map((one) => ({
    ...one,
    languages,
    // A wrong answer is another tested workflow, which may be routed.
    candidates: one.candidates.map((each) =>
      each.workflow_id === "flow.wrong" ? { ...each, workflow_id: "flow.certify0" as WorkflowId } : each,
    ),
  }));
}

const unread = (of: readonly ScoredRecord[]): readonly ScoredRecord[] =>
  of.map((one) => {
    const { languages: _languages, ...rest } = one;
    return rest;
  });

// "lb" is no slice, so its texts belong to German, the next language that they may be in.
const records = [
  ...requests(["de"], 0.3, 20),
  ...requests(["lb", "de"], 0.3, 10),
  ...requests(["fr"], 1.5, 30),
  ...requests(["nl"], 0.3, 1),
  ...unread(requests([], 0.3, 10)),
].map((one, index) => ({ ...one, id: `${one.id} ${index}` }));
const choices: FitChoices = {
  claim: "fixed-catalog",
  require_slices: "language",
  languages: ["de", "fr", "nl"],
  target_risk: 0.1,
  looser_targets: [],
};
const fitted = (change: FitChoices = {}) => fitCalibration({ records, digests, version: "c", ...choices, ...change });
const calibration = fitted();
const [de, fr, nl] = calibration.claims;
const thresholdOf = (language: string) =>
  calibration.languages?.thresholds?.find((one) => one.language === language)?.confidence ?? null;

test("each language has a claim and a threshold of its own, and one without enough requests has none", () => {
  assert.equal(
    calibration.claims.map(({ scope, certified }) => [scope, certified]),
    [
      ["language:de", true],
      ["language:fr", true],
      ["language:nl", false],
    ],
  );
  assert.ok((thresholdOf("de") ?? 1) < (thresholdOf("fr") ?? 0));
  assert.is(thresholdOf("nl"), null);
  assert.match(de?.promise ?? "", /^When Sluice routes a request in German with this catalog, at most 10% of routes/);
  assert.match(nl === undefined ? "" : statementOf(nl), /^No text is routed in Dutch: .* needs/);
  assert.equal(readCalibrationDocument(calibration, "the calibration").claims.length, 3);
});

test("the languages that can be tested share one error budget", () => {
  assert.equal([de?.delta, fr?.delta], [0.025, 0.025]);
  const alone = fitted({ languages: ["de"] });
  assert.equal(
    alone.claims.map(({ delta }) => delta),
    [0.05],
  );
});

test("a text is decided by the threshold of the first language that has one, and declined without one", () => {
  const [low, high] = [thresholdOf("de") ?? 1, thresholdOf("fr") ?? 0];
  const z = Math.log((low + high) / 2 / (1 - (low + high) / 2));
  const asked = (languages?: readonly string[]) =>
    decide(
      { candidates: [candidate("flow.tune0", z)], ...(languages === undefined ? {} : { languages }) },
      { ...calibration, calibrator: { family: "platt", slope: 1, intercept: 0 }, certified_workflows: null },
    );
  assert.equal(
    [["de"], ["lb", "de"], ["de", "fr"], ["fr"], ["fr", "de"], ["nl"], ["sv"], undefined].map((languages) => {
      const { reason_code: reason, language } = asked(languages);
      return [reason, language];
    }),
    [
      ["ACCEPTED_LOW_RISK", "de"],
      ["ACCEPTED_LOW_RISK", "de"],
      ["ACCEPTED_LOW_RISK", "de"],
      ["BELOW_RISK_THRESHOLD", "fr"],
      ["BELOW_RISK_THRESHOLD", "fr"],
      ["LANGUAGE_NOT_CERTIFIED", undefined],
      ["LANGUAGE_NOT_CERTIFIED", undefined],
      ["LANGUAGE_NOT_CERTIFIED", undefined],
    ],
  );
});

test("the tiers state the lowest threshold, and count only routes at the threshold of their language", () => {
  const { low, high } = calibration.tiers;
  assert.equal([low.confidence, high.confidence], [thresholdOf("de"), thresholdOf("de")]);
  assert.is(low.routed + high.routed, (de?.routed ?? 0) + (fr?.routed ?? 0));
  const read = calibration.languages?.read ?? [];
  assert.equal(
    read.filter(({ routed: count }) => count > 0).map(({ language, routed: count, wrong }) => [language, count, wrong]),
    [
      ["de", de?.routed, de?.errors],
      ["fr", fr?.routed, fr?.errors],
    ],
  );
});

test("pages show the languages apart", () => {
  assert.match(
    describeLanguages(calibration)[0] ?? "",
    /promised in German and French\. Each has a claim and a threshold/,
  );
  const [promise, , wrong, planned] = headline(calibration);
  assert.is(promise?.value, "at most 10% wrong in each of German and French");
  const sum = (of: "errors" | "routed") => ((de?.[of] ?? 0) + (fr?.[of] ?? 0)).toLocaleString("en");
  assert.is(wrong?.value, `${sum("errors")} of ${sum("routed")}`);
  assert.match(planned?.value ?? "", /missed/);
  const evaluation = evaluateRecords({
    records,
    runSha256: sha256Hex("run"),
    topK: 3,
    fold: "all",
    calibration: { sha256: sha256Hex("c"), document: calibration },
  });
  for (const claim of [de, fr]) {
    const { wrong: measured } = claimOutcome(claim ?? { scope: "overall", tiers: [] }, evaluation);
    assert.ok(measured.n > 0 && measured.n < evaluation.selective_risk.n);
  }
});

test("what counts all languages together is refused, and lists are left out", () => {
  assert.is(calibration.shortlist, undefined);
  for (const change of [{ claim: "new-workflows" }, { required_tiers: { high: 0.05 } }] as const) {
    assert.throws(() => fitted(change), /cannot be tested for each language/);
  }
  const none = { ...choices, languages: null, records: unread(records), digests, version: "c" };
  assert.throws(() => fitCalibration(none), /no language of the tested requests/);
});

test("without a list, languages with enough requests to test the target are claimed", () => {
  const more = [...records, ...requests(["nl"], 0.3, 8).map((one, index) => ({ ...one, id: `more ${index}` }))];
  const found = fitCalibration({ records: more, digests, version: "c", ...choices, languages: null });
  assert.equal(found.languages?.covered, ["fr", "de", "lb", "nl"]);
});
