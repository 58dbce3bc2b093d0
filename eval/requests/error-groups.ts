import type { ConfusionPair } from "../../src/documents/comparison.js";
import { workflowText } from "../../src/base/text.js";
import { type Share, shareOf } from "../../src/documents/rate.js";
import { groupBy } from "../../src/base/group-by.js";
import { type DecidedRequest, firstWorkflow } from "./decided-request.js";
import { type RequestBucket, requestBuckets } from "../../src/documents/choices.js";

/** Number of requests of one group that did not end well, and size of the group. */
export interface ErrorGroup {
  /** "tier" (of the top candidate), "workflow" (gold), "reason", or the name of a slice. */
  readonly dimension: string;
  readonly value: string;
  readonly wrong: Share;
}

/** Number of requests per bucket; empty buckets are left out. */
export function bucketCounts(
  requests: readonly DecidedRequest[],
): readonly { readonly bucket: RequestBucket; readonly rate: Share }[] {
  return requestBuckets
    .map((bucket) => ({
      bucket,
      rate: shareOf(requests.filter((each) => each.bucket === bucket).length, requests.length),
    }))
    .filter(({ rate }) => rate.k > 0);
}

/**
 * Requests that did not end well, by tier, workflow, reason and slice; within a dimension, most errors first.
 */
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
    return value === undefined ? [] : [{ value, wrong: request.bucket !== "right" }];
  });
  return [...groupBy(known, ({ value }) => value)]
    .map(([value, own]) => ({ dimension, value, wrong: shareOf(own.filter(({ wrong }) => wrong).length, own.length) }))
    .sort((a, b) => b.wrong.k - a.wrong.k || (a.value < b.value ? -1 : 1));
}

/** Filter for a list of requests; omitted conditions match everything. */
export interface RequestFilter {
  readonly buckets?: readonly RequestBucket[];
  readonly stages?: readonly string[];
  readonly tier?: string;
  /** Matches the right workflow or the top candidate. */
  readonly workflow?: string;
  readonly reason?: string;
  /** The right workflow (null: out of scope) and the top candidate. */
  readonly pair?: { readonly right: string | null; readonly first: string };
  readonly slice?: { readonly name: string; readonly value: string };
}

type Condition = (request: DecidedRequest, filter: RequestFilter) => boolean;

const conditions: readonly Condition[] = [
  ({ bucket }, { buckets }) => (buckets === undefined ? bucket !== "right" : buckets.includes(bucket)),
  ({ stage }, { stages }) => stages === undefined || (stage !== null && stages.includes(stage)),
  ({ outcome }, { tier }) => tier === undefined || outcome?.top?.risk_tier === tier,
  ({ outcome }, { reason }) => reason === undefined || outcome?.decision?.reason_code === reason,
  ({ record }, { slice }) => slice === undefined || record.slices[slice.name] === slice.value,
  (request, { workflow }) =>
    workflow === undefined || request.record.workflow_id === workflow || firstWorkflow(request) === workflow,
  (request, { pair }) =>
    pair === undefined || (request.record.workflow_id === pair.right && firstWorkflow(request) === pair.first),
];

/** Whether a request meets every condition. If no buckets are given, requests with a correct outcome do not pass. */
export function passesFilter(request: DecidedRequest, filter: RequestFilter): boolean {
  return conditions.every((holds) => holds(request, filter));
}

/** Every confused pair, sorted by wrong routes (most first), then requests (most first), then name. */
export function confusionPairs(requests: readonly DecidedRequest[]): readonly ConfusionPair[] {
  const totals = new Map<string | null, number>();
  const pairs = new Map<string, { right: string | null; first: string; requests: number; routed: number }>();
  for (const request of requests) {
    if (request.outcome === null) continue;
    const right = request.record.workflow_id;
    totals.set(right, (totals.get(right) ?? 0) + 1);
    const first = firstWorkflow(request);
    if (first === null || !isConfused(request)) continue;
    const key = JSON.stringify([right, first]);
    const pair = pairs.get(key) ?? { right, first, requests: 0, routed: 0 };
    pair.requests += 1;
    if (request.outcome.decision?.decision === "ROUTE") pair.routed += 1;
    pairs.set(key, pair);
  }
  return [...pairs]
    .sort(([x, a], [y, b]) => b.routed - a.routed || b.requests - a.requests || (x < y ? -1 : 1))
    .map(([, { right, first, requests: count, routed }]) => ({
      right_workflow_id: right,
      first_workflow_id: first,
      requests: count,
      routed,
      of: totals.get(right) ?? 0,
    }));
}

function isConfused({ outcome }: DecidedRequest): boolean {
  if (outcome === null) return false;
  if (outcome.inScope) return !outcome.topIsRight;
  return outcome.decision !== null && outcome.decision.decision !== "LLM_REQUIRED";
}
