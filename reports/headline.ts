import { languageList } from "../src/base/language.js";
import { type Calibration, type Claim, languageOfScope } from "../src/documents/calibration.js";
import { formatCount, formatPercent } from "../src/documents/number-text.js";
import { type Badge, factList, type Fact } from "./blocks.js";

type Claimed = Pick<Calibration, "claims" | "fit">;

/** The claim that readers ask for first: overall; without one, the first certified claim; otherwise the first. */
export const mainClaim = ({ claims }: Pick<Calibration, "claims">): Claim | undefined =>
  claims.find(({ scope }) => scope === "overall") ?? claims.find(({ certified }) => certified) ?? claims[0];

/** The claims that a headline counts: those of the languages, or else the main claim. */
function headlineClaims(calibration: Pick<Calibration, "claims">): readonly Claim[] {
  const ofLanguages = calibration.claims.filter(({ scope }) => languageOfScope(scope) !== null);
  const main = mainClaim(calibration);
  return main === undefined || ofLanguages.length > 0 ? ofLanguages : [main];
}

/** The planned target of a claim. Only the claim of a tier has a target of its own. */
export const plannedTarget = (
  { scope, target_risk: target }: Pick<Claim, "scope" | "target_risk">,
  { fit }: Pick<Calibration, "fit">,
): number => (scope === "overall" || languageOfScope(scope) !== null ? fit.target_risk : target);

/** Whether one of these claims was not certified at a target as strict as the planned one. */
export function missedPlan(calibration: Claimed): boolean {
  const claims = headlineClaims(calibration);
  return (
    claims.length === 0 || claims.some((one) => !one.certified || one.target_risk > plannedTarget(one, calibration))
  );
}

/** Why a pass is one with a reservation: the planned target was missed; otherwise null. */
export const planReservation = (calibration: Claimed): string | null =>
  missedPlan(calibration) ? "planned target missed" : null;

/**
 * The four numbers of a calibration: its promise, the share of requests that is routed, the wrong routes of its test, and the
 * planned target.
 */
export function headline(calibration: Calibration): readonly Fact[] {
  const claim = mainClaim(calibration);
  if (claim === undefined) return [];
  const { coverage } = calibration.traffic.expected;
  const certified = headlineClaims(calibration).filter((one) => one.certified);
  const sum = (of: (one: Claim) => number): string => formatCount(certified.reduce((total, one) => total + of(one), 0));
  const limit = formatPercent(Math.max(...certified.map(({ target_risk: target }) => target)));
  const languages = certified.flatMap(({ scope }) => languageOfScope(scope) ?? []);
  const each = languages.length === 0 ? "" : ` in each of ${languageList(languages, "conjunction")}`;
  const planned = `at most ${formatPercent(plannedTarget(claim, calibration))}`;
  return factList([
    ["Promise", claim.certified ? `at most ${limit} wrong${each}` : "none"],
    ["Routed", claim.certified ? (coverage === null ? "unknown" : formatPercent(coverage, 1)) : "nothing"],
    [
      "Wrong when tested",
      claim.certified ? `${sum(({ errors }) => errors)} of ${sum(({ routed }) => routed)}` : "none",
    ],
    ["Planned", missedPlan(calibration) ? `${planned}: missed` : planned],
  ]);
}

/** The headline as one line, for example "at most 10% wrong; 60.6% routed; 6 of 131 wrong when tested". */
export function headlineText(calibration: Calibration): string {
  const [promise, routed, wrong] = headline(calibration);
  if (promise === undefined || promise.value === "none") return "nothing promised, nothing routed";
  return `${promise.value}; ${routed?.value} routed; ${wrong?.value} wrong when tested`;
}

/** The headline with the planned target, if it was missed. */
export function plannedHeadline(calibration: Calibration): string {
  const claim = mainClaim(calibration);
  const text = headlineText(calibration);
  if (claim === undefined || !missedPlan(calibration)) return text;
  return `${text}; planned at most ${formatPercent(plannedTarget(claim, calibration))}`;
}

/** A badge with a reservation: what passes only with one does not look like what passes without. */
export const badgeWith = (badge: Badge, reservation: string | null): Badge =>
  badge.tone === "pass" && reservation !== null ? { word: `${badge.word}: ${reservation}`, tone: "unsure" } : badge;
