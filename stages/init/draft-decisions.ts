import { counted } from "../../src/documents/number-text.js";
import { unstatedEffect } from "../../datasets/draft/draft-workflow.js";
import type { DraftedProject, DraftOptions, LabelCounts } from "../../datasets/draft/draft-project.js";
import type { SourceMaterial } from "../../datasets/sources/parsed-source.js";
import { approvalsNeeded } from "../../store/project/people.js";
import { neededOf } from "../../src/base/text.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { levelOf } from "../../calibrate/procedure.js";
import { promiseLimits } from "../../calibrate/plan/promise-limits.js";
import { everyTextShares, measuringShares } from "../../datasets/every-text.js";

/** Level of the first calibration of new labels. */
const firstLevel = levelOf({ delta: 0.05, attempt: 1 });

/** Share of requests whose workflow ranks first, by number of examples per workflow; see docs/reference/catalog.md. */
const rankedFirst = { none: "75.2%", one: "78.7%", ten: "85.6%" } as const;

/** Advice for a project without requests: its uses, and what to add first. */
const withoutRequests: readonly string[] = [
  "None: no request is labelled, so nothing is measured. A development server routes requests; a production server refuses to start.",
  `Add examples to catalog.yaml first: on a public dataset the right workflow is ranked first for ${rankedFirst.none} of ` +
    `the requests without examples, for ${rankedFirst.one} with one per workflow, and for ${rankedFirst.ten} with ten.`,
];

/** Sentences about the best claim that a drafted project can support, from counts alone, before scoring. */
export function projectPromise({
  labels,
  requests,
  everyText,
}: Pick<DraftedProject, "labels" | "requests" | "everyText">): readonly string[] {
  if (requests.length === 0) return withoutRequests;
  const { tune, certify } = everyText ? everyTextShares(requests.length) : measuringShares;
  const certifies = (count: number): number => Math.round((tune + certify) * count);
  if (everyText) {
    // For a claim about new workflows, workflows are divided among folds regardless of their texts.
    const divided = Math.round((measuringShares.tune + measuringShares.certify) * labels.length);
    return promiseLimits({ workflows: divided, requests: certifies(requests.length) }, firstLevel);
  }
  const workflows = labels.filter(({ heldOut }) => heldOut > 0).length;
  return promiseLimits({ workflows: certifies(workflows), requests: certifies(requests.length) }, firstLevel);
}

interface Drafted {
  readonly parsedSource: SourceMaterial;
  readonly draft: DraftedProject;
  readonly project: Pick<ProjectFile, "people">;
}

export function ownDecisions(
  { tier, owner }: Pick<DraftOptions, "tier" | "owner">,
  drafted: Drafted,
): readonly string[] {
  const { people } = drafted.project;
  return [
    ...(drafted.draft.requests.length === 0 ? [] : measuringDecisions(drafted)),
    `Every workflow is in tier ${tier} and owned by "${owner}".`,
    ...effectDecisions(drafted),
    ...(people === undefined
      ? []
      : [`${people.producer} signs releases; ${neededOf(people.approvers, approvalsNeeded, "two")} must approve.`]),
  ];
}

function measuringDecisions({ draft, parsedSource }: Drafted): readonly string[] {
  const withParts = parsedSource.texts.some(({ part }) => part !== null);
  const ids = (fits: (label: LabelCounts) => boolean): string =>
    draft.labels
      .filter(fits)
      .map(({ workflowId }) => workflowId)
      .join(", ");
  const alone = draft.followUps.length === 0 ? "" : " that stands alone";
  const unmeasured = ids(({ heldOut }) => heldOut === 0);
  const without = ids(({ examples }) => examples === 0);
  return [
    withParts
      ? "At most ten training texts of each workflow were drawn at random as its examples, by the seed in sluice.yaml. All other texts are test requests; test texts are never examples."
      : draft.everyText
        ? everyTextSentence(draft)
        : "Two in five texts of each workflow (at most ten) were drawn at random as its examples, by the seed in sluice.yaml. The others are test requests.",
    "The claim is planned at 5%. Looser targets are tested first, and the strictest that passes is certified.",
    ...(unmeasured === ""
      ? []
      : [
          `Workflows without a test request, because they have at most one text${alone}: ${unmeasured}. They are declined until they have one.`,
        ]),
    ...(without === ""
      ? []
      : [
          `Workflows without an example, because they have no training text of at most 1,000 characters${alone}: ${without}.`,
        ]),
  ];
}

/** How many test requests are examples too: fewer than all if some are held out, or a workflow has too many. */
function everyTextSentence({ labels, requests, outOfScope }: Drafted["draft"]): string {
  const all = requests.length - outOfScope;
  const both = labels.reduce((sum, { examples, heldOut }) => sum + Math.min(examples, heldOut), 0);
  const count = both === all ? `All ${counted(all, "text")}` : `${both} of the ${counted(all, "text")}`;
  return `${count} with a workflow are also examples. When a text is tested, its near-copies are left out of the examples.`;
}

function effectDecisions({ draft, parsedSource }: Drafted): readonly string[] {
  const stated = new Map(parsedSource.workflows.map(({ label, effect }) => [label, effect]));
  const idOf = new Map(draft.labels.map(({ label, workflowId }) => [label, workflowId]));
  const destroying = parsedSource.workflows.flatMap(({ label, effect }) =>
    effect === "destroys" ? [idOf.get(label) ?? label] : [],
  );
  return [
    ...(draft.labels.every(({ label }) => (stated.get(label) ?? null) !== null)
      ? []
      : [`Workflows without a stated effect are drafted as ${unstatedEffect}, with a confirmation.`]),
    ...(destroying.length === 0
      ? []
      : [
          `Drafted as destructive, as the source says: ${destroying.join(", ")}. In the exclusions of each, state what it is not for.`,
        ]),
  ];
}
