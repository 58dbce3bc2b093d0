/** What a trial can and cannot promise, in words. */
export const trialLines: readonly string[] = [
  "No promise: no labelled request says how often a route of this catalog is wrong. It routes from a raw score of 0.5, which no data chose.",
  "Fit for trying the catalog and its wording. A production server does not take it.",
  "What helps first: one to ten requests as people write them, under `examples` of each workflow in catalog.yaml.",
  "What a promise needs: labelled requests in requests.jsonl that are not among the examples, then: sluice run",
];
