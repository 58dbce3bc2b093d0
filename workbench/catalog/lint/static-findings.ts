import { normaliseText } from "../../../datasets/normalise-text.js";
import { productionProblems } from "../../../src/catalog/rules.js";
import type { Catalog, Workflow } from "../../../src/domain/catalog.js";
import { groupBy } from "../../../src/stats/group-by.js";
import type { LintFinding } from "./finding.js";

/** A workflow with fewer examples gets a finding. */
const fewExamples = 3;

/** What can be seen in a catalog without a model. Only active workflows are examined. */
export function staticFindings(catalog: Catalog): readonly LintFinding[] {
  const active = catalog.workflows.filter(({ status }) => status === "active");
  return [
    ...repeatedExamples(active),
    ...sameDescriptions(active),
    ...active.flatMap(descriptionFinding),
    ...active.flatMap(exampleFinding),
    ...productionProblems(catalog).map(
      ({ workflowId, message }): LintFinding => ({
        rule: "not_production",
        severity: "warning",
        workflowIds: [workflowId],
        message,
        advice: "Correct it before the catalog is signed.",
      }),
    ),
  ];
}

function repeatedExamples(workflows: readonly Workflow[]): readonly LintFinding[] {
  const places = workflows.flatMap(({ workflowId, examples }) => examples.map((text) => ({ workflowId, text })));
  return [...groupBy(places, ({ text }) => normaliseText(text)).values()].flatMap((same): readonly LintFinding[] => {
    const owners = [...new Set(same.map(({ workflowId }) => workflowId))];
    const [first] = same;
    if (owners.length < 2 || first === undefined) return [];
    return [
      {
        rule: "repeated_example",
        severity: "error",
        workflowIds: owners,
        message: `"${first.text}" is an example of ${owners.join(" and of ")}`,
        advice: "Keep it in the workflow that should handle it, and remove it from the other.",
      },
    ];
  });
}

function sameDescriptions(workflows: readonly Workflow[]): readonly LintFinding[] {
  const same = groupBy(workflows, ({ description }) => normaliseText(description));
  return [...same.values()].flatMap((group): readonly LintFinding[] => {
    if (group.length < 2) return [];
    const untold = group.filter(({ examples }) => examples.length === 0);
    return [
      {
        rule: "same_description",
        severity: untold.length > 1 ? "error" : "warning",
        workflowIds: group.map(({ workflowId }) => workflowId),
        message: `the description of ${group.map(({ workflowId }) => workflowId).join(" and ")} is the same`,
        advice: "State in each what only it does, and add exclusions.",
      },
    ];
  });
}

/** Words of a drafted description besides the name. */
const emptyWords = new Set(["requests", "about", "workflow", "for", "this", "the", "a", "an"]);

function descriptionFinding({ workflowId, name, description }: Workflow): readonly LintFinding[] {
  const named = new Set([...normaliseText(name).split(" "), ...workflowId.split(/[._-]/)]);
  const further = normaliseText(description)
    .split(" ")
    .filter((word) => !named.has(word) && !emptyWords.has(word));
  if (further.length > 0) return [];
  return [
    {
      rule: "drafted_description",
      severity: "warning",
      workflowIds: [workflowId],
      message: `the description of ${workflowId} adds nothing to its name`,
      advice: "Describe in one or two sentences what it does; retrieval uses the description.",
    },
  ];
}

function exampleFinding({ workflowId, examples }: Workflow): readonly LintFinding[] {
  if (examples.length >= fewExamples) return [];
  const none = examples.length === 0;
  return [
    {
      rule: none ? "no_example" : "few_examples",
      severity: none ? "warning" : "note",
      workflowIds: [workflowId],
      message: none ? `${workflowId} has no example` : `${workflowId} has ${examples.length} of three examples`,
      advice: none
        ? "Add one request as people write it: the first example gains the most."
        : "Add up to three, ten at most.",
    },
  ];
}
