/** `error`: routing is wrong or arbitrary because of it. `warning`: it costs accuracy. `note`: a person should know. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

/** What the rules of the linter look for. */
export const lintRules = {
  repeated_example: "the same example stands in two workflows",
  same_description: "two workflows have the same description",
  near_twins: "examples of one workflow are taken for another one",
  example_elsewhere: "an example is closer to other workflows than to its own",
  no_example: "a workflow has no example",
  few_examples: "a workflow has fewer than three examples",
  drafted_description: "a description says nothing beyond the name",
  not_production: "production refuses the workflow as it is",
} as const;
export type LintRule = keyof typeof lintRules;

/** One thing that makes a catalog worse, and what to do about it. */
export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** The workflows concerned, at least one. */
  readonly workflowIds: readonly string[];
  /** What was found, with the numbers behind it. */
  readonly message: string;
  /** What to change. */
  readonly advice: string;
}
