import { counted } from "../../src/documents/number-text.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { groupBy } from "../../src/base/group-by.js";
import { leadersOf, type RequestToLabel } from "./requests-to-label.js";

/** Lead of the first workflow below which two are close. */
const closeLead = 0.2;
/** Probability of the verifier from which a workflow is likely. */
const likely = 0.5;
/** Ids to label in one group. */
const mostOfOneGroup = 3;

/** Declined requests with the same two workflows ranked first. */
export interface DeclinedGroup {
  /** Ascending; one where a request has no second candidate, none where it has no candidate. */
  readonly workflows: readonly string[];
  readonly requests: number;
  /** `describe`: the two are close; `label`: one leads; `nothing_near`: none is likely. */
  readonly proposal: "describe" | "label" | "nothing_near";
  readonly sentence: string;
  /** Ids whose labels say most: the smallest lead first. */
  readonly toLabel: readonly string[];
}

/**
 * Groups declined requests by the pair of workflows ranked first, the largest group first, and says for each what to label or
 * which descriptions to change. By the verifier's own probability; no label and no threshold is read.
 * @param most  ids to label over all groups
 */
export function groupDeclined(records: readonly ScoredRecord[], most: number): readonly DeclinedGroup[] {
  const leaders = records.filter(({ error_code: errorCode }) => errorCode === null).map(leadersOf);
  const pairOf = ({ first, second }: RequestToLabel): readonly string[] =>
    [first, second].flatMap((id) => id ?? []).sort();
  const groups = [...groupBy(leaders, (request) => pairOf(request).join(" "))].sort(
    ([a, own], [b, other]) => other.length - own.length || (a < b ? -1 : 1),
  );
  let left = most;
  return groups.map(([, requests]) => {
    const unsure = requests.toSorted((a, b) => a.margin - b.margin || (a.id < b.id ? -1 : 1));
    const toLabel = unsure.slice(0, Math.min(mostOfOneGroup, left)).map(({ id }) => id);
    left -= toLabel.length;
    return {
      workflows: pairOf(requests[0] as RequestToLabel),
      requests: requests.length,
      ...proposalFor(requests),
      toLabel,
    };
  });
}

function proposalFor(requests: readonly RequestToLabel[]): Pick<DeclinedGroup, "proposal" | "sentence"> {
  const [{ first, second } = { first: null, second: null }] = requests;
  const all = requests.length;
  const unlikely = requests.filter(({ confidence }) => confidence < likely).length;
  if (first === null || 2 * unlikely > all) {
    return {
      proposal: "nothing_near",
      sentence: `No workflow is likely in ${unlikely} of ${counted(all, "request")}: label those that no workflow handles as out of scope; a frequent request may point to a missing workflow.`,
    };
  }
  const close = requests.filter(({ margin }) => margin < closeLead).length;
  if (second !== null && 2 * close > all) {
    return {
      proposal: "describe",
      sentence: `Describe what tells ${[first, second].sort().join(" and ")} apart: they are close in ${close} of ${counted(all, "request")}.`,
    };
  }
  const leader = mostFrequent(requests.flatMap((request) => request.first ?? []));
  return {
    proposal: "label",
    sentence: `Label some: ${leader.id} leads in ${leader.count} of ${counted(all, "request")}; add those that belong to it to its examples.`,
  };
}

function mostFrequent(ids: readonly string[]): { readonly id: string; readonly count: number } {
  const counts = [...groupBy(ids, (id) => id)].map(([id, own]) => ({ id, count: own.length }));
  return counts.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))[0] ?? { id: "", count: 0 };
}
