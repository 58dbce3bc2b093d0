/**
 * Whether a calibration has evidence about a workflow. Uses binary search.
 * @param certifiedWorkflows  in ascending order; null or undefined if the claim does not depend on the workflow
 */
export function isCertifiedWorkflow(
  workflowId: string,
  certifiedWorkflows: readonly string[] | null | undefined,
): boolean {
  if (certifiedWorkflows === undefined || certifiedWorkflows === null) return true;
  let [low, high] = [0, certifiedWorkflows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((certifiedWorkflows[middle] as string) < workflowId) low = middle + 1;
    else high = middle;
  }
  return certifiedWorkflows[low] === workflowId;
}
