/** `error`: routing is wrong or arbitrary because of it. `warning`: it costs accuracy. `note`: a person should know. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

/** What the rules of the linter look for. */
export const lintRules = {
  repeated_example: "the same example is in two workflows",
  same_description: "two workflows have the same description",
  near_twins: "examples of one workflow are mistaken for another",
  example_elsewhere: "an example is closer to other workflows than to its own",
  no_example: "a workflow has no example",
  few_examples: "a workflow has fewer than three examples",
  drafted_description: "a description adds nothing to the name",
  not_production: "production refuses the workflow",
} as const;
type LintRule = keyof typeof lintRules;

/** One thing that makes a catalog worse, and what to do about it. */
export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** The workflows concerned, at least one. */
  readonly workflow_ids: readonly string[];
  /** What was found, with the numbers behind it. */
  readonly message: string;
  /** What to change. */
  readonly advice: string;
}
