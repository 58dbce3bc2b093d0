import { confusionPairs } from "../../eval/requests/confusion-pairs.js";
import { decideRequest } from "../../eval/requests/decided-request.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { WorkflowId } from "../../src/domain/primitives.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { applyCalibration } from "../../src/policy/apply-calibration.js";
import type { StepProgress } from "../step-progress.js";
import type { ChooseInput } from "./choose-suggestions.js";
import type { Suggestion } from "./suggestion.js";

/** Number of parts; the examples of one part are removed in each load of the models. */
const parts = 3;
/** Examples that are tested at most. */
const mostExamples = 600;
/** Lead of another workflow from which an example counts as misplaced. */
const leastLead = 0.2;

/** Scores requests with a changed catalog. */
export type ScoreWith = (catalog: Catalog, rows: readonly LabelledRequest[]) => Promise<readonly ScoredRecord[]>;

interface Example {
  readonly workflowId: WorkflowId;
  readonly place: number;
  readonly text: string;
}

/** Examples of confused workflows that match another workflow better when removed from theirs; largest lead first. */
export async function misplacedExamples(
  input: ChooseInput,
  score: ScoreWith,
  progress: StepProgress,
): Promise<readonly Suggestion[]> {
  progress.start("testing examples", parts);
  const examples = examplesOf(input).slice(0, mostExamples);
  const found: { readonly lead: number; readonly suggestion: Suggestion }[] = [];
  for (let part = 0; part < parts; part += 1) {
    const tested = examples.filter((_, index) => index % parts === part);
    if (tested.length === 0) break;
    const rows = tested.map(({ text, workflowId }, index) => ({ id: `example-${index}`, text, workflowId }));
    const records = await score(without(input.catalog, tested), rows);
    for (const [index, record] of records.entries()) {
      const example = tested[index];
      const better = example === undefined ? null : betterThan(record, example.workflowId);
      if (example === undefined || better === null) continue;
      found.push({ lead: better.lead, suggestion: moveOf(example, better.workflowId) });
    }
    progress.update(part + 1);
  }
  return found.sort((a, b) => b.lead - a.lead).map(({ suggestion }) => suggestion);
}

/** Examples of workflows that rank first for requests of others. */
function examplesOf({ catalog, choose }: ChooseInput): readonly Example[] {
  const decided = choose.map(({ record }) => decideRequest(record, { thresholds: null, topK: 1 }));
  const confused = new Set(confusionPairs(decided).map(({ firstWorkflowId }) => firstWorkflowId));
  return catalog.workflows
    .filter(({ workflowId, examples }) => confused.has(workflowId) && examples.length > 1)
    .flatMap(({ workflowId, examples }) => examples.map((text, index) => ({ workflowId, place: index + 1, text })));
}

function without(catalog: Catalog, tested: readonly Example[]): Catalog {
  const gone = new Set(tested.map(({ workflowId, text }) => JSON.stringify([workflowId, text])));
  const workflows = catalog.workflows.map((workflow) => ({
    ...workflow,
    examples: workflow.examples.filter((text) => !gone.has(JSON.stringify([workflow.workflowId, text]))),
  }));
  return { ...catalog, workflows };
}

/** The workflow that leads the example's workflow by the required amount. */
function betterThan(
  record: ScoredRecord,
  workflowId: WorkflowId,
): { readonly workflowId: WorkflowId; readonly lead: number } | null {
  if (record.errorCode !== null) return null;
  const ranked = applyCalibration({ slope: 1, intercept: 0 }, record.candidates);
  const [first] = ranked.filter(({ eligible }) => eligible);
  if (first === undefined || first.workflowId === workflowId) return null;
  const own = ranked.find((candidate) => candidate.workflowId === workflowId)?.confidence ?? 0;
  const lead = first.confidence - own;
  return lead < leastLead ? null : { workflowId: first.workflowId, lead };
}

const moveOf = ({ workflowId: from, place, text }: Example, to: WorkflowId): Suggestion => ({
  kind: "move_example",
  workflows: [from, to],
  requests: [],
  support: 1,
  sentence: `Move example ${place} of ${from} to ${to}: without it, it matches ${to} better.`,
  changes: [{ kind: "move_example", from, to, example: text }],
});
