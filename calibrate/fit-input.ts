import type { Calibration, FitOptions } from "../src/documents/calibration.js";
import type { Background, FollowUpRows } from "./background-rows.js";
import { type ClaimKind, type Fold } from "../src/documents/choices.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { counted, formatCount, formatFixedPercent } from "../src/documents/number-text.js";
import type { FitChoices } from "./procedure.js";

/** Scored records, the options of a fit, and the metadata that the calibration records. */
export type FitInput = FitChoices & {
  /** Only records of TUNE and CERTIFY are used. */
  readonly records: readonly ScoredRecord[];
  /** Generic requests that the calibrator learns as out of scope; no test or count includes them. Default: none. */
  readonly background?: Background | undefined;
  /** Labelled follow-ups with their scores, which no claim about requests that stand alone reads. Default: none. */
  readonly followUps?: FollowUpRows | undefined;
  readonly digests: Calibration["digests"];
  readonly version: string;
};

/** Maximum share of requests whose scoring may fail. */
const mayFail = 0.01;

function refuse(message: string, hint: string): never {
  throw new SluiceError("CALIBRATION_INVALID", message, { hint });
}

const inside = (value: number): boolean => value > 0 && value < 1;

function assertNumbers(fit: FitOptions): void {
  const { target_risk: target, delta, out_of_scope_share } = fit;
  if (!inside(target)) refuse(`the target is ${target}, expected a number between 0 and 1`, "Give 5% as 0.05.");
  assertRequiredTiers(fit);
  if (!inside(delta)) refuse(`delta is ${delta}, expected a number between 0 and 1`, "Use 0.05 in most cases.");
  if (out_of_scope_share !== null && !(out_of_scope_share >= 0 && out_of_scope_share < 1)) {
    refuse(`the out-of-scope share is ${out_of_scope_share}, expected at least 0 and below 1`, "Give 10% as 0.1.");
  }
  assertLanguages(fit);
  assertStart(fit);
}

function assertRequiredTiers({ target_risk: target, required_tiers }: FitOptions): void {
  for (const [tier, own] of Object.entries(required_tiers)) {
    if (own === null || (inside(own) && own <= target)) continue;
    refuse(
      `the target of tier ${tier} is ${own}, expected a number above 0 and at most the overall target ${target}`,
      `A tier whose target is above the overall target needs no claim of its own: omit ${tier}.`,
    );
  }
}

function assertLanguages({ languages }: FitOptions): void {
  if (languages === null || (languages.length > 0 && languages.every((tag) => /^[a-z]{2,3}$/.test(tag)))) return;
  refuse(
    `found the languages ${languages.join(", ") || "none"}, expected codes such as en`,
    "Omit them: the tested requests tell.",
  );
}

/** Only the claim about a catalog is tested by slices, and nothing that counts all of them together is. */
function assertSlices(fit: FitOptions, followUps: FitInput["followUps"]): void {
  if (fit.require_slices === undefined) return;
  const conflicts = [
    ...(fit.claim === "fixed-catalog" ? [] : [`the claim ${fit.claim}`]),
    ...(Object.values(fit.required_tiers).some((target) => target !== null) ? ["tiers with a claim of their own"] : []),
    ...(followUps === undefined ? [] : ["labelled follow-ups"]),
    ...(fit.drawn_routes === undefined ? [] : ["routes drawn from a log"]),
  ];
  if (conflicts.length === 0) return;
  refuse(
    `found ${conflicts.join(" and ")}, which cannot be tested for each ${fit.require_slices}, expected the claim fixed-catalog alone`,
    "Leave these out, or omit require_slices.",
  );
}

function assertLooser({ looser_targets, looser_share }: FitOptions): void {
  if (!looser_targets.every(inside) || !(looser_share > 0 && looser_share <= 1)) {
    refuse(
      `found the looser targets ${looser_targets.join(", ")} at ${looser_share}, expected numbers between 0 and 1`,
      "Give 30% as 0.3.",
    );
  }
}

function assertStart(fit: FitOptions): void {
  assertLooser(fit);
  const { start_errors, start_icc, attempt } = fit;
  if (attempt !== null && !(Number.isInteger(attempt) && attempt >= 1)) {
    refuse(`found attempt ${attempt}, expected a count of at least 1`, "Omit it: the history counts attempts.");
  }
  assertStartErrors(start_errors);
  if (!(start_icc >= 0 && start_icc <= 1)) {
    refuse(
      `the correlation at the start is ${start_icc}, expected 0 to 1`,
      "Use the value of an earlier calibration, or 0.1.",
    );
  }
}

function assertBackground({ out_of_scope_share }: FitOptions, background: Background | undefined): void {
  if (background !== undefined && (out_of_scope_share ?? 0) === 0) {
    refuse(
      "background requests were given without a declared out-of-scope share, which sets their weight",
      "Declare the share: --out-of-scope-share 0.1; or leave the background out: --background none.",
    );
  }
}

function assertCrossFit({ cross_fit, calibrator, claim }: FitOptions): void {
  if (!(Number.isInteger(cross_fit) && cross_fit >= 1)) {
    refuse(`found a cross-fit of ${cross_fit} parts, expected a count of at least 1`, "Use 8, or 1 for no cross-fit.");
  }
  // A shift per workflow helps only if each part contains all workflows.
  if (calibrator === "catalog-features" && (claim !== "fixed-catalog" || cross_fit === 1)) {
    refuse(
      "the calibrator catalog-features requires a cross-fit and the claim fixed-catalog",
      "Add --claim fixed-catalog and omit --cross-fit, or use the calibrator verifier-features.",
    );
  }
}

function assertStartErrors(initialAllowedErrors: readonly number[]): void {
  if (
    initialAllowedErrors.length > 0 &&
    initialAllowedErrors.every((errors) => Number.isInteger(errors) && errors >= 0)
  )
    return;
  refuse("the start errors are not a list of counts", "Use 3,1,0.");
}

/** A claim about new workflows is invalid if the model or the calibrator has seen them. */
function assertFoldsDisjoint(records: readonly ScoredRecord[], claim: ClaimKind): void {
  if (claim === "fixed-catalog") return;
  const foldOf = new Map<string, Fold>();
  for (const { cluster, fold } of records) {
    const known = foldOf.get(cluster);
    if (known === undefined) foldOf.set(cluster, fold);
    else if (known !== fold) {
      throw new SluiceError("SPLIT_INVALID", `${cluster} is in the folds ${known} and ${fold}, expected one fold`, {
        hint: "Split the dataset by workflow and score it again, or use the claim fixed-catalog.",
        details: { cluster, folds: [known, fold] },
      });
    }
  }
}

function assertScored(records: readonly ScoredRecord[]): void {
  const failed = records.filter((record) => record.error_code !== null).length;
  if (failed <= mayFail * records.length) return;
  throw new SluiceError(
    "SCORING_ERRORS",
    `${formatCount(failed)} of ${counted(records.length, "request")} failed, expected at most ${formatFixedPercent(mayFail)}`,
    {
      hint: say`Fix the failures shown by \`${command`sluice eval show`}\`, and score the run again.`,
      details: { failed },
    },
  );
}

/**
 * Refuses input that cannot support a claim.
 * @throws {SluiceError} CALIBRATION_INVALID, SPLIT_INVALID or SCORING_ERRORS
 */
export function assertFitInput(
  fit: FitOptions,
  { records, background, followUps }: Pick<FitInput, "records" | "background" | "followUps">,
): void {
  assertNumbers(fit);
  assertSlices(fit, followUps);
  assertBackground(fit, background);
  assertCrossFit(fit);
  assertFoldsDisjoint(records, fit.claim);
  assertScored(records);
}
