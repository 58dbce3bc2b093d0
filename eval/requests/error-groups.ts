import { workflowText } from "../../src/base/text.js";
import type { Rate } from "../../src/documents/rate.js";
import { groupBy } from "../../src/base/group-by.js";
import { rateOf } from "../stats/rate.js";
import type { DecidedRequest } from "./decided-request.js";
import { type RequestBucket, requestBuckets } from "../../src/documents/choices.js";

/** Number of requests of one group that did not end well, and size of the group. */
export interface ErrorGroup {
  /** "tier" (of the top candidate), "workflow" (gold), "reason", or the name of a slice. */
  readonly dimension: string;
  readonly value: string;
  readonly wrong: Rate;
}

/** Number of requests per bucket; empty buckets are left out. */
export function bucketCounts(
  requests: readonly DecidedRequest[],
): readonly { readonly bucket: RequestBucket; readonly rate: Rate }[] {
  return requestBuckets
    .map((bucket) => ({
      bucket,
      rate: rateOf(requests.map((each) => ({ cluster: each.record.cluster, event: each.bucket === bucket }))),
    }))
    .filter(({ rate }) => rate.k > 0);
}

/** Requests that did not end well, by tier, workflow, reason and slice; within a dimension, most errors first. */
export function errorGroups(requests: readonly DecidedRequest[]): readonly ErrorGroup[] {
  const scored = requests.filter(({ outcome }) => outcome !== null);
  const slices = [...new Set(scored.flatMap(({ record }) => Object.keys(record.slices)))].sort();
  return [
    ...groups("tier", scored, ({ outcome }) => outcome?.top?.risk_tier),
    ...groups("workflow", scored, ({ record }) => workflowText(record.workflow_id)),
    ...groups("reason", scored, ({ outcome }) => outcome?.decision?.reason_code),
    ...slices.flatMap((name) => groups(name, scored, ({ record }) => record.slices[name])),
  ];
}

function groups(
  dimension: string,
  requests: readonly DecidedRequest[],
  valueOf: (request: DecidedRequest) => string | undefined,
): readonly ErrorGroup[] {
  const known = requests.flatMap((request) => {
    const value = valueOf(request);
    return value === undefined ? [] : [{ value, cluster: request.record.cluster, event: request.bucket !== "right" }];
  });
  return [...groupBy(known, ({ value }) => value)]
    .map(([value, trials]) => ({ dimension, value, wrong: rateOf(trials) }))
    .sort((a, b) => b.wrong.k - a.wrong.k || (a.value < b.value ? -1 : 1));
}
