import { headlineText, mainClaim } from "../../reports/headline.js";
import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { History } from "../../store/history/open.js";
import { readCalibration, readRun } from "../../store/records/read-records.js";
import { sharedRequests } from "../../store/records/shared-requests.js";
import { decideTested } from "../fit/stored-input.js";
import type { DecidedRequest } from "../../eval/requests/decided-request.js";

type Promised = Pick<Calibration, "claims" | "tiers" | "next_step">;

export interface ProjectChange {
  /** Ids of the calibration before and of the new one. */
  readonly before: Sha256;
  readonly now: Sha256;
  /** Requests that both tested, and those of them that are decided differently. */
  readonly requests: number;
  readonly differing: number;
  /** Promise and routed share before, and the differing decisions. */
  readonly text: string;
}

/** Compares the decisions of two calibrations on the requests that both tested; null if they are the same one. */
export function whatChanged(history: History, before: Sha256, now: Sha256): ProjectChange | null {
  if (before === now) return null;
  const [old, latest] = [readCalibration(history, before).document, readCalibration(history, now).document];
  const decided = new Map(decideTested(history, old).map((request) => [request.record.id, answerOf(request)]));
  const tested = decideTested(history, latest);
  const datasetOf = ({ digests }: Calibration): Sha256 => readRun(history, digests.run).document.dataset_sha256;
  const unchanged = sharedRequests(history, datasetOf(old), datasetOf(latest));
  const shared = tested.filter(({ record: { id } }) => decided.has(id) && (unchanged?.has(id) ?? true));
  const differing = shared.filter((request) => decided.get(request.record.id) !== answerOf(request)).length;
  const differ =
    shared.length === 0
      ? "no request was tested by both"
      : `${formatCount(differing)} of ${counted(shared.length, "decision")} ${differing === 1 ? "differs" : "differ"}`;
  return {
    before,
    now,
    requests: shared.length,
    differing,
    text: `before: ${headlineText(old)}${targetReason(old, latest)}; ${differ}${seenAndNew(shared, tested)}`,
  };
}

/** Why another target is certified than before: the threshold of a stricter one, or where the test of the former one stops. */
export function targetReason(old: Promised, latest: Promised): string {
  const [before, now] = [mainClaim(old), mainClaim(latest)];
  if (before?.certified !== true || now?.certified !== true) return "";
  if (now.target_risk > before.target_risk) return looserReason(latest);
  const [from, to] = [old, latest].map(({ tiers }) =>
    Math.min(...now.tiers.map((tier) => tiers[tier].confidence ?? 1)),
  );
  if (now.target_risk === before.target_risk || from === undefined || to === undefined || to <= from) return "";
  return `; stricter now, so routed from confidence ${to} instead of ${from}`;
}

function looserReason({ next_step: step }: Promised): string {
  if (step?.stopped_at === undefined || step.stopped_at === null) return "";
  const { errors, routed } = step.stopped_at;
  return `; looser now, because the test of ${formatPercent(step.target_risk)} stops at ${formatCount(errors)} wrong of ${formatCount(routed)} routed`;
}

/**
 * Wrong routes among requests that the calibration before tested as well, and among new ones: only the new ones show
 * whether the router improved, because the others were seen. "" if either kind is missing.
 */
function seenAndNew(seen: readonly DecidedRequest[], tested: readonly DecidedRequest[]): string {
  if (seen.length === 0 || seen.length === tested.length) return "";
  const before = new Set(seen);
  const added = tested.filter((request) => !before.has(request));
  return `; as decided now, requests tested before: ${wrongOfRouted(seen)}; new or edited ones: ${wrongOfRouted(added)}`;
}

function wrongOfRouted(requests: readonly DecidedRequest[]): string {
  const routed = requests.filter(({ outcome }) => outcome?.decision?.decision === "ROUTE");
  const wrong = routed.filter(({ record, outcome }) => outcome?.decision?.workflow_id !== record.workflow_id).length;
  return `${formatCount(wrong)} wrong of ${formatCount(routed.length)} routed`;
}

/** What a comparison calls different: whether the request is routed, asked about or declined, and the workflow. */
const answerOf = ({ outcome }: DecidedRequest): string =>
  `${outcome?.decision?.decision ?? ""} ${outcome?.decision?.workflow_id ?? ""}`;
