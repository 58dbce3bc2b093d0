/** `error`: makes routing wrong or arbitrary. `warning`: reduces accuracy. `note`: for information. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

/** Description of each rule of the linter. */
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

/** One problem of a catalog, and how to fix it. */
export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** The affected workflows, at least one. */
  readonly workflow_ids: readonly string[];
  /** Description of the problem, with its numbers. */
  readonly message: string;
  /** Advice on how to fix it. */
  readonly advice: string;
}
