/** What a trial can and cannot promise, in words. */
export const trialLines: readonly string[] = [
  "No claim: without labelled requests, the error rate for this catalog is unknown. Requests are routed from a raw score of 0.5, which is not based on data.",
  "Use it to try the catalog and its wording. A production server refuses it.",
  "To improve it: add one to ten requests, as people write them, to `examples` of each workflow in catalog.yaml.",
  "To get a claim: add labelled requests that are not examples to requests.jsonl, then: sluice run",
];
