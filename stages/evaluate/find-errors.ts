import { type ConfusionPair, confusionPairs } from "../../eval/requests/confusion-pairs.js";
import type { ErrorOrder } from "../choices.js";
import type { DecidedRequest } from "../../eval/requests/decided-request.js";
import { bucketCounts, type ErrorGroup, errorGroups } from "../../eval/requests/error-groups.js";
import { passesFilter, type RequestFilter } from "../../eval/requests/request-filter.js";
import type { History } from "../../store/history/open.js";
import { type DecidedRun, decidedRun, type DecideRunOptions } from "./decided-run.js";
import { textsOfRun } from "./request-texts.js";

export interface FindErrorsOptions extends DecideRunOptions {
  readonly filter: RequestFilter;
  readonly sort: ErrorOrder;
  /** Reads the texts of the requests from the dataset. */
  readonly withTexts: boolean;
}

/** Errors of a run: counts over all requests of the fold, and the requests that pass the filter. */
export interface FoundErrors extends DecidedRun {
  readonly buckets: ReturnType<typeof bucketCounts>;
  readonly groups: readonly ErrorGroup[];
  readonly pairs: readonly ConfusionPair[];
  /** Sorted. */
  readonly found: readonly DecidedRequest[];
  /** Texts by id; null unless requested. */
  readonly texts: ReadonlyMap<string, string> | null;
}

/** Finds the wrong requests of a run. @throws {SluiceError} those of `decidedRun` and `textsOfRun` */
export function findErrors(history: History, { filter, sort, withTexts, ...options }: FindErrorsOptions): FoundErrors {
  const decided = decidedRun(history, options);
  const { requests, run } = decided;
  return {
    ...decided,
    buckets: bucketCounts(requests),
    groups: errorGroups(requests),
    pairs: confusionPairs(requests),
    found: requests.filter((request) => passesFilter(request, filter)).sort(comparators[sort]),
    texts: withTexts ? textsOfRun(history, run) : null,
  };
}

type Comparator = (a: DecidedRequest, b: DecidedRequest) => number;

const confidenceOf = ({ outcome }: DecidedRequest): number => outcome?.top?.confidence ?? 0;
const byId: Comparator = (a, b) => (a.record.id < b.record.id ? -1 : 1);

const comparators: Readonly<Record<ErrorOrder, Comparator>> = {
  surest: (a, b) => confidenceOf(b) - confidenceOf(a) || byId(a, b),
  "least-sure": (a, b) => confidenceOf(a) - confidenceOf(b) || byId(a, b),
  id: byId,
};
