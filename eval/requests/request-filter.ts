import { type DecidedRequest, firstWorkflow } from "./decided-request.js";
import type { RequestBucket } from "./request-bucket.js";

/** Which requests a list shows; absent conditions let everything pass. */
export interface RequestFilter {
  readonly buckets?: readonly RequestBucket[];
  readonly stages?: readonly string[];
  readonly tier?: string;
  /** The right workflow or the first one. */
  readonly workflow?: string;
  readonly reason?: string;
  /** The right workflow, null for out of scope, and the one that came first. */
  readonly pair?: { readonly right: string | null; readonly first: string };
  readonly slice?: { readonly name: string; readonly value: string };
}

/** Whether a request meets every condition. Without buckets those that ended well are left out. */
export function passesFilter(request: DecidedRequest, filter: RequestFilter): boolean {
  const { record, outcome, bucket, stage } = request;
  const first = firstWorkflow(request);
  const { buckets, stages, tier, workflow, reason, pair, slice } = filter;
  return [
    buckets === undefined ? bucket !== "right" : buckets.includes(bucket),
    stages === undefined || (stage !== null && stages.includes(stage)),
    tier === undefined || outcome?.top?.riskTier === tier,
    workflow === undefined || record.workflowId === workflow || first === workflow,
    reason === undefined || outcome?.decision?.reasonCode === reason,
    pair === undefined || (record.workflowId === pair.right && first === pair.first),
    slice === undefined || record.slices[slice.name] === slice.value,
  ].every(Boolean);
}
