import { type DecidedRequest, firstWorkflow } from "./decided-request.js";
import type { RequestBucket } from "../../src/documents/choices.js";

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
