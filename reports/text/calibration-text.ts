import {
  type Calibration,
  type Claim,
  type FitOptions,
  type MixPoint,
  usedTiers,
  statementOf,
} from "../../src/documents/calibration.js";
import { languageList, languageName } from "../../src/base/language.js";
import { statedReason } from "../../src/base/text.js";
import { claimConditions } from "../../src/documents/claim-conditions.js";
import {
  counted,
  formatCount,
  formatFixedPercent,
  formatFixedPercentDown,
  formatPercent,
  formatProportion,
} from "../../src/documents/number-text.js";
import type { Calibrator } from "../../src/documents/calibrator.js";
import { mainClaim } from "../headline.js";
import { adviceOf } from "./plan-text.js";

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
}

function claimLines(claim: Claim, calibration: Calibration): readonly string[] {
  if (!claim.certified) return [statementOf(claim), ""];
  return [statementOf(claim), ...aligned(claimConditions(claim, calibration)), ""];
}

function tierLines({ tiers }: Calibration): readonly string[] {
  const rows = usedTiers({ tiers }).map((tier) => {
    const { confidence, errors, routed, abstain_reason, target_risk } = tiers[tier];
    const claimed = target_risk === null ? "no separate claim" : `at most ${formatPercent(target_risk)}`;
    if (confidence === null) return [tier, `abstains: ${statedReason(abstain_reason)}`, "", claimed];
    return [tier, String(confidence), `${formatCount(errors)} of ${formatCount(routed)}`, claimed];
  });
  return aligned([["tier", "routes at or above", "wrong", "claim"], ...rows]);
}

/** Describes a calibration for its approver: claims, conditions, tiers and traffic. */
export function describeCalibration(calibration: Calibration): readonly string[] {
  const { claims, clarify_threshold, min_retrieval_score, certified_workflows, warnings } = calibration;
  return [
    `Calibration ${calibration.calibration_version}`,
    "",
    ...claims.flatMap((claim) => claimLines(claim, calibration)),
    ...tierLines(calibration),
    "",
    ...(calibration.shortlist === undefined ? [] : [calibration.shortlist.sentence, ""]),
    ...describeFollowUps(calibration).flatMap((line) => [line, ""]),
    `Population: ${calibration.population}`,
    ...(certified_workflows === null
      ? []
      : [
          `Routes go only to the ${counted(certified_workflows.length, "tested workflow")}; requests for others are declined.`,
        ]),
    ...describeCalibrator(calibration),
    ...describeTraffic(calibration),
    clarify_threshold >= 1
      ? "Sluice asks for missing inputs only at confidence 1, so it almost never asks."
      : `Sluice asks for missing inputs at confidence ${clarify_threshold} or more (estimated on TUNE, not certified).`,
    `Requests whose best retrieval score is below ${min_retrieval_score} are declined.`,
    ...describeLanguages(calibration),
    ...describeSeveralWishes(calibration),
    ...[...warnings, ...adviceOf(calibration)].map((warning) => `Warning: ${warning}`),
  ];
}

/** The claims about requests that follow another one, and the rows behind them; empty without such rows. */
export function describeFollowUps(calibration: Pick<Calibration, "follow_ups"> | null): readonly string[] {
  if (calibration?.follow_ups === undefined) return [];
  const { repeats, changes, ...counts } = calibration.follow_ups;
  const { requests, conversations, out_of_scope: outside, closings, closings_wrong: wrong } = counts;
  return [
    repeats.sentence,
    changes.sentence,
    `Labelled follow-ups: ${formatCount(requests)} of ${counted(conversations, "conversation")}, ${formatCount(outside)} for no workflow. ` +
      `${formatCount(closings)} count as the end of a conversation, ${formatCount(wrong)} of these wrongly.`,
  ];
}

/**
 * The kinds of requests apart: those that stand alone, follow-ups, and texts that are not one wish. Empty without labelled follow-ups.
 */
export function describeKinds(calibration: Calibration): readonly string[] {
  const { follow_ups: followUps, several_wishes: several } = calibration;
  if (followUps === undefined) return [];
  const claims = [
    ["stand alone", mainClaim(calibration)],
    ["repeat the workflow", followUps.repeats],
    ["change the workflow", followUps.changes],
  ] as const;
  const rows = claims.map(([kind, claim]) => {
    const tested = formatCount(claim?.requests ?? 0);
    if (claim === undefined || claim.reason !== null) return [kind, tested, "0", "", "nothing"];
    const { routed, errors, target_risk: target } = claim;
    return [kind, tested, formatCount(routed), formatCount(errors), `at most ${formatPercent(target)} wrong`];
  });
  const joined = several === undefined || several.joined === 0 ? [] : [several];
  return aligned([
    ["requests", "tested", "routed", "wrong", "promised"],
    ...rows,
    ...joined.map(({ joined: texts, found }) => [
      "two wishes, joined",
      formatCount(texts),
      "",
      "",
      `${formatCount(found)} recognised and declined`,
    ]),
  ]);
}

/** Which languages routes may be in, and what declining the others costs. */
export function describeLanguages({ languages }: Calibration): readonly string[] {
  if (languages === undefined)
    return ["No text is declined for its language: too few tested texts are long enough to tell it."];
  const { covered, thresholds, read, requests, declined } = languages;
  const promised =
    thresholds?.flatMap(({ language, confidence }) => (confidence === null ? [] : [language])) ?? covered;
  const others = read.filter(({ language }) => !covered.includes(language));
  return [
    `Routes are promised in ${promised.length === 0 ? "no language" : languageList(promised, "conjunction")}. ${
      thresholds === undefined
        ? "Texts that are clearly in another language are declined"
        : "Each has a claim and a threshold of its own; texts in another language, or too short to tell, are declined"
    }: ${formatCount(declined)} of ${formatCount(requests)} labelled requests in scope.`,
    ...(covered.length === 1 || thresholds !== undefined
      ? []
      : [
          `One threshold and one rate count these languages together. Tested alone: ${read
            .filter(({ language }) => covered.includes(language))
            .map(
              (one) =>
                `${languageName(one.language)} ${formatCount(one.wrong)} wrong of ${formatCount(one.routed)} routed`,
            )
            .join(", ")}.`,
        ]),
    ...(others.length === 0
      ? []
      : [
          `Labelled requests that seem to be in another language: ${others.map(({ language, requests: found }) => `${languageName(language)} ${formatCount(found)}`).join(", ")}.`,
        ]),
  ];
}

/** What declining texts with two wishes costs, and how many it finds. */
export function describeSeveralWishes({ several_wishes: several }: Calibration): readonly string[] {
  if (several === undefined) return [];
  const { declined, single_requests: requests, upper_limit: limit, joined, found } = several;
  return [
    `Texts that seem to have two wishes are declined, also where another reason comes first: ${formatCount(declined)} of ${formatCount(requests)} labelled requests in scope, and at most ${formatFixedPercent(limit)} of further ones like these (95% confidence).`,
    ...(joined === 0
      ? []
      : [
          `They are found in ${formatFixedPercent(found / joined)} of ${counted(joined, "text")} in which two of these requests were joined.`,
        ]),
  ];
}

const shown = (value: number | null, text: (value: number) => string): string =>
  value === null ? "none" : text(value);

function mixText({ out_of_scope_share, coverage, false_route_rate }: MixPoint): string {
  const share = `${formatFixedPercentDown(out_of_scope_share)} out of scope`;
  if (coverage === null) return `${share}; the effect is unknown.`;
  if (coverage === 0) return `${share}; nothing is routed.`;
  return `${share}, ${formatFixedPercent(coverage)} routed, ${shown(false_route_rate, formatFixedPercent)} of routes wrong.`;
}

/**
 * Describes the expected traffic, and estimates for other shares of out-of-scope requests. These estimates are not
 * certified.
 */
export function describeTraffic({ traffic }: Pick<Calibration, "traffic">): readonly string[] {
  const { declared, expected, sensitivity } = traffic;
  if (expected.coverage === null || expected.coverage === 0) return [];
  if (sensitivity.length === 0)
    return [`Of the requests of the log, ${formatFixedPercent(expected.coverage)} are routed.`];
  return [
    `Estimate for ${declared ? "the declared traffic" : "traffic as labelled"}: ${mixText(expected)}`,
    ...otherTraffic(sensitivity),
  ];
}

function otherTraffic(sensitivity: readonly MixPoint[]): readonly string[] {
  if (sensitivity.every(({ coverage }) => coverage === null)) {
    return ["Other traffic: unknown, because no out-of-scope request was tested."];
  }
  return [
    "Estimates for other traffic (--out-of-scope-share certifies a claim for one share):",
    ...aligned([
      ["out of scope", "routed", "wrong routes"],
      ...sensitivity.map(({ out_of_scope_share, coverage, false_route_rate }) => [
        formatFixedPercentDown(out_of_scope_share),
        coverage === null ? "unknown" : formatFixedPercent(coverage),
        coverage === null ? "unknown" : shown(false_route_rate, formatFixedPercent),
      ]),
    ]),
  ];
}

/** What a calibrator was fitted to besides the score, after its family. */
function shapeOf(calibrator: Calibrator): string {
  switch (calibrator.family) {
    case "request-features":
      return "";
    case "verifier-features":
      return ` (${counted(calibrator.columns.length, "verifier column")})`;
    case "catalog-features":
      return ` (${counted(calibrator.columns.length, "verifier column")}, and a shift for each of ${counted(calibrator.workflows.length, "workflow")})`;
    case "identity":
    case "platt":
      return ` (slope ${calibrator.slope.toPrecision(3)}, intercept ${calibrator.intercept.toPrecision(3)})`;
  }
}

function candidateText({ family, held_out_loss, refused }: Calibration["calibrator_candidates"][number]): string {
  return held_out_loss === null
    ? `${family} not used (${statedReason(refused)})`
    : `${family} ${formatProportion(held_out_loss)}`;
}

function backgroundLines(background: FitOptions["background"]): readonly string[] {
  if (background === undefined) return [];
  const { rows, requests_sha256 } = background;
  return [
    `The calibrator was fitted with ${formatCount(rows)} background requests (${requests_sha256.slice(0, 12)}) as out of scope; none of them was tested.`,
  ];
}

/** Describes the calibrator and the mean held-out log-loss of each considered family. */
function describeCalibrator({
  calibrator,
  calibrator_candidates,
  fit,
}: Pick<Calibration, "calibrator" | "calibrator_candidates" | "fit">): readonly string[] {
  const data = `fitted on ${counted(calibrator.fitted_requests, "request")}; the first candidate is wrong for ${formatCount(calibrator.fitted_errors)} of them`;
  const used =
    calibrator.family === "identity"
      ? "Scores are used as the verifier returns them: no calibrator was clearly better on held-out workflows."
      : `Scores are calibrated by ${calibrator.family}${shapeOf(calibrator)}, ${data}.`;
  const lines = [used, ...backgroundLines(fit?.background)];
  if (calibrator_candidates.length === 0) return lines;
  return [...lines, `Held-out loss, nats per request: ${calibrator_candidates.map(candidateText).join(", ")}.`];
}
