import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { StepProgress } from "../../store/step-progress.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { confusionPairs } from "../../eval/requests/error-groups.js";
import type { ConfusionPair } from "../../src/documents/comparison.js";
import { decideRequest } from "../../eval/requests/decided-request.js";
import { applyCalibration } from "../../src/router/policy/apply-calibration.js";
import { counted } from "../../src/documents/number-text.js";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { outcomeOf } from "../../eval/metrics/outcome-columns.js";
import { groupBy } from "../../src/base/group-by.js";
import type { ScoredRow } from "./learnable-rows.js";
import type { BaselineComparison, PairedVerdict } from "../../src/documents/baseline.js";
import type { Band } from "../../src/documents/evaluation.js";

/** Number of examples that one suggestion adds to a workflow. */
const examplesAtOnce = 3;
/** Maximum length of an example, in characters. */
const longestExample = 1000;
/** Minimum number of confused requests for reporting a pair of workflows. */
const leastConfused = 2;
/** Maximum number of distinguishing words. */
const mostWords = 6;
/** Minimum number of requests that contain a word for it to count; a word in a single request may be a name. */
const leastRequestsOfWord = 2;

export interface ChooseInput {
  readonly catalog: Catalog;
  /** The requests that suggestions are chosen from. */
  readonly choose: readonly ScoredRow[];
}

/**
 * Suggests examples to add, and pairs of workflows to describe better or to merge; best supported first within each
 * kind.
 */
export function chooseSuggestions(input: ChooseInput): readonly Suggestion[] {
  const decided = input.choose.map(({ record }) => decideRequest(record, { thresholds: null, topK: 1 }));
  const pairs = mutualPairs(confusionPairs(decided));
  return [...exampleSuggestions(input), ...pairs.flatMap((pair) => pairSuggestions(pair, input))].sort(
    (a, b) => b.support - a.support || (a.sentence < b.sentence ? -1 : 1),
  );
}

function exampleSuggestions({ catalog, choose }: ChooseInput): readonly Suggestion[] {
  const known = new Map(catalog.workflows.map((workflow) => [workflow.workflow_id, workflow]));
  const missed = choose.flatMap((each) => {
    const { workflow_id: workflowId } = each.record;
    return workflowId === null || outcomeOf(each.record, null).topIsRight ? [] : [{ ...each, workflow_id: workflowId }];
  });
  return [...groupBy(missed, ({ workflow_id: workflowId }) => workflowId)].flatMap(([workflowId, rows]) => {
    const examples = known.get(workflowId)?.examples ?? [];
    const fit = rows.filter(({ row }) => row.text.length <= longestExample && !examples.includes(row.text));
    const chosen = mostTypical(fit).slice(0, examplesAtOnce);
    if (chosen.length === 0) return [];
    return [
      {
        kind: "add_examples" as const,
        workflows: [workflowId],
        requests: chosen.map(({ row }) => row.id),
        support: rows.length,
        sentence: `Add ${counted(chosen.length, "request")} as examples of ${workflowId}: it missed ${rows.length}.`,
        changes: [
          { kind: "add_examples" as const, workflow_id: workflowId, examples: chosen.map(({ row }) => row.text) },
        ],
      },
    ];
  });
}

/** Sorts rows by the number of words shared with the other rows, descending. */
function mostTypical(rows: readonly ScoredRow[]): readonly ScoredRow[] {
  const words = rows.map(({ row }) => wordsOf(row.text));
  const shared = words.map((own, index) =>
    words.reduce((sum, other, at) => (at === index ? sum : sum + overlap(own, other)), 0),
  );
  return [...rows.keys()]
    .sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
    .flatMap((index) => rows[index] ?? []);
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    normaliseText(text)
      .split(" ")
      .filter((word) => word.length >= 3),
  );

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}

interface MutualPair {
  readonly ids: readonly [string, string];
  readonly confused: number;
}

/** Combines both directions of a confusion. */
function mutualPairs(pairs: readonly ConfusionPair[]): readonly MutualPair[] {
  const counts = new Map<string, MutualPair>();
  for (const { right_workflow_id: rightWorkflowId, first_workflow_id: firstWorkflowId, requests } of pairs) {
    if (rightWorkflowId === null) continue;
    const [x, y] =
      rightWorkflowId < firstWorkflowId ? [rightWorkflowId, firstWorkflowId] : [firstWorkflowId, rightWorkflowId];
    const key = JSON.stringify([x, y]);
    counts.set(key, { ids: [x, y], confused: (counts.get(key)?.confused ?? 0) + requests });
  }
  return [...counts.values()].filter(({ confused }) => confused >= leastConfused);
}

function pairSuggestions({ ids, confused }: MutualPair, { catalog, choose }: ChooseInput): readonly Suggestion[] {
  const [a, b] = ids.map((id) => catalog.workflows.find(({ workflow_id: workflowId }) => workflowId === id));
  if (a === undefined || b === undefined) return [];
  const because = `${counted(confused, "request confuses", "requests confuse")} them.`;
  return [
    ...describeSuggestion([a, b], choose, { confused, because }),
    ...(alike(a, b)
      ? [
          {
            kind: "merge" as const,
            workflows: ids,
            requests: [],
            support: confused,
            sentence: `Merge ${b.workflow_id} into ${a.workflow_id} if one answer serves both: ${because}`,
            changes: [{ kind: "merge" as const, into: a.workflow_id, from: b.workflow_id }],
          },
        ]
      : []),
  ];
}

/** Whether two workflows may be merged: equal risk, effect and inputs. */
function alike(a: Workflow, b: Workflow): boolean {
  const promise = ({
    risk_tier: riskTier,
    side_effect: sideEffect,
    confirmation,
    required_inputs: requiredInputs,
  }: Workflow): string =>
    JSON.stringify([riskTier, sideEffect, confirmation, requiredInputs.map(({ name }) => name).sort()]);
  return promise(a) === promise(b);
}

function describeSuggestion(
  [a, b]: readonly [Workflow, Workflow],
  choose: readonly ScoredRow[],
  { confused, because }: { readonly confused: number; readonly because: string },
): readonly Suggestion[] {
  const changes = [
    [a, b],
    [b, a],
  ].flatMap(([own, other]) => {
    if (own === undefined || other === undefined) return [];
    const words = tellingWords(textsOf(choose, own), textsOf(choose, other));
    if (words.length < 2) return [];
    const capability = `Requests that mention ${words.join(", ")}.`;
    return capability.length > 300 ? [] : [{ kind: "describe" as const, workflow_id: own.workflow_id, capability }];
  });
  if (changes.length === 0) return [];
  return [
    {
      kind: "describe",
      workflows: [a.workflow_id, b.workflow_id],
      requests: [],
      support: confused,
      sentence: `Describe the difference between ${a.workflow_id} and ${b.workflow_id}: ${because}`,
      changes,
    },
  ];
}

const textsOf = (rows: readonly ScoredRow[], { workflow_id: workflowId }: Workflow): readonly ReadonlySet<string>[] =>
  rows.filter(({ record }) => record.workflow_id === workflowId).map(({ row }) => wordsOf(row.text));

/** Words in requests of one workflow but not of the other, most distinctive first. */
function tellingWords(own: readonly ReadonlySet<string>[], other: readonly ReadonlySet<string>[]): readonly string[] {
  const shareIn = (texts: readonly ReadonlySet<string>[], word: string): number =>
    texts.length === 0 ? 0 : texts.filter((words) => words.has(word)).length / texts.length;
  const known = [...new Set(own.flatMap((words) => [...words]))].filter(
    (word) => own.filter((words) => words.has(word)).length >= leastRequestsOfWord,
  );
  return known
    .map((word) => ({ word, lead: shareIn(own, word) - shareIn(other, word) }))
    .filter(({ lead }) => lead > 0.1)
    .sort((a, b) => b.lead - a.lead || (a.word < b.word ? -1 : 1))
    .slice(0, mostWords)
    .map(({ word }) => word);
}

/** Number of parts of the examples; the models are loaded once per part, without its examples. */
const parts = 3;

/** Maximum number of tested examples. */
const mostExamples = 600;

/** Minimum lead of another workflow for an example to count as misplaced. */
const leastLead = 0.2;

/** Scores requests over a changed catalog. */
export type ScoreWith = (catalog: Catalog, rows: readonly LabelledRequest[]) => Promise<readonly ScoredRecord[]>;

interface Example {
  readonly workflowId: WorkflowId;
  readonly place: number;
  readonly text: string;
}

/**
 * Finds examples of confused workflows that match another workflow better if removed from their own; largest lead
 * first.
 */
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
    const rows = tested.map(({ text, workflowId }, index) => ({
      id: `example-${index}`,
      text,
      workflow_id: workflowId,
    }));
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

/** Examples of workflows that rank first for requests of other workflows. */
function examplesOf({ catalog, choose }: ChooseInput): readonly Example[] {
  const decided = choose.map(({ record }) => decideRequest(record, { thresholds: null, topK: 1 }));
  const confused = new Set(confusionPairs(decided).map(({ first_workflow_id: firstWorkflowId }) => firstWorkflowId));
  return catalog.workflows
    .filter(({ workflow_id: workflowId, examples }) => confused.has(workflowId) && examples.length > 1)
    .flatMap(({ workflow_id: workflowId, examples }) =>
      examples.map((text, index) => ({ workflowId, place: index + 1, text })),
    );
}

function without(catalog: Catalog, tested: readonly Example[]): Catalog {
  const gone = new Set(tested.map(({ workflowId, text }) => JSON.stringify([workflowId, text])));
  const workflows = catalog.workflows.map((workflow) => ({
    ...workflow,
    examples: workflow.examples.filter((text) => !gone.has(JSON.stringify([workflow.workflow_id, text]))),
  }));
  return { ...catalog, workflows };
}

/** The workflow that leads the example's own workflow by at least the required amount. */
function betterThan(
  record: ScoredRecord,
  workflowId: WorkflowId,
): { readonly workflowId: WorkflowId; readonly lead: number } | null {
  if (record.error_code !== null) return null;
  const ranked = applyCalibration({ slope: 1, intercept: 0 }, record.candidates);
  const [first] = ranked.filter(({ eligible }) => eligible);
  if (first === undefined || first.workflow_id === workflowId) return null;
  const own = ranked.find((candidate) => candidate.workflow_id === workflowId)?.confidence ?? 0;
  const lead = first.confidence - own;
  return lead < leastLead ? null : { workflowId: first.workflow_id, lead };
}

const moveOf = ({ workflowId: from, place, text }: Example, to: WorkflowId): Suggestion => ({
  kind: "move_example",
  workflows: [from, to],
  requests: [],
  support: 1,
  sentence: `Move example ${place} of ${from} to ${to}: held out, it matches ${to} better.`,
  changes: [{ kind: "move_example", from, to, example: text }],
});

/** Kinds of suggestions, in the order in which they are interleaved. */
export const suggestionKinds = ["add_examples", "move_example", "describe", "merge", "label"] as const;
type SuggestionKind = (typeof suggestionKinds)[number];

/** A catalog change and the requests that support it. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly workflows: readonly string[];
  /** Ids of requests whose texts become examples. */
  readonly requests: readonly string[];
  /** Number of wrong requests or misplaced examples that support it. */
  readonly support: number;
  /** Description of the change; contains no request text. */
  readonly sentence: string;
  readonly changes: readonly CatalogChange[];
}

/** Effect of a change on how often the right workflow ranks first, on held-out requests. */
export interface Gain {
  /** Number of in-scope requests, and of those whose right workflow ranked first before and after the change. */
  readonly in_scope: number;
  readonly before: number;
  readonly after: number;
  /** Share after the change minus share before it; null without in-scope requests. */
  readonly difference: number | null;
  /** Band of the difference, from resampled workflows. */
  readonly band: Band | null;
  readonly p_value: number | null;
  /** `a_better`: the change is better. */
  readonly verdict: PairedVerdict;
  /** Metrics that need no thresholds: changed catalog (A) and current catalog (B). */
  readonly comparison: BaselineComparison;
}

export interface MeasuredSuggestion extends Suggestion {
  readonly gain: Gain;
}

/**
 * One edit of a catalog. It contains request texts, so it is written only to files that the operator chose and printed
 * only on request.
 */
export type CatalogChange =
  | { readonly kind: "add_examples"; readonly workflow_id: WorkflowId; readonly examples: readonly string[] }
  | { readonly kind: "move_example"; readonly from: WorkflowId; readonly to: WorkflowId; readonly example: string }
  | { readonly kind: "merge"; readonly into: WorkflowId; readonly from: WorkflowId }
  | { readonly kind: "describe"; readonly workflow_id: WorkflowId; readonly capability: string };
