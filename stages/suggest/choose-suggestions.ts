import type { Catalog } from "../../src/documents/catalog.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
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
export interface ChooseInput {
  readonly catalog: Catalog;
  readonly choose: readonly ScoredRow[];
}

/** Suggests missed requests as examples of their workflow, the workflow with the most misses first. */
export function chooseSuggestions({ catalog, choose }: ChooseInput): readonly Suggestion[] {
  const known = new Map(catalog.workflows.map((workflow) => [workflow.workflow_id, workflow]));
  const missed = choose.flatMap((each) => {
    const { workflow_id: workflowId } = each.record;
    return workflowId === null || outcomeOf(each.record, null).topIsRight ? [] : [{ ...each, workflow_id: workflowId }];
  });
  const suggestions = [...groupBy(missed, ({ workflow_id: workflowId }) => workflowId)].flatMap(
    ([workflowId, rows]): readonly Suggestion[] => {
      const examples = known.get(workflowId)?.examples ?? [];
      const fit = rows.filter(({ row }) => row.text.length <= longestExample && !examples.includes(row.text));
      const chosen = mostTypical(fit).slice(0, examplesAtOnce);
      if (chosen.length === 0) return [];
      return [
        {
          kind: "add_examples",
          workflows: [workflowId],
          requests: chosen.map(({ row }) => row.id),
          support: rows.length,
          sentence: `Add ${counted(chosen.length, "request")} as examples of ${workflowId}: it missed ${rows.length}.`,
          changes: [{ workflow_id: workflowId, examples: chosen.map(({ row }) => row.text) }],
        },
      ];
    },
  );
  return suggestions.sort((a, b) => b.support - a.support || (a.sentence < b.sentence ? -1 : 1));
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

/** Scores requests over a changed catalog. */
export type ScoreWith = (catalog: Catalog, rows: readonly LabelledRequest[]) => Promise<readonly ScoredRecord[]>;

/** Kinds of suggestions, in the order in which they are interleaved. */
export const suggestionKinds = ["add_examples", "label"] as const;
type SuggestionKind = (typeof suggestionKinds)[number];

export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly workflows: readonly string[];
  /** Ids of requests whose texts become examples. */
  readonly requests: readonly string[];
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
 * Texts that become examples of a workflow. They are request texts, so they are written only to files that the operator
 * chose and printed only on request.
 */
export interface CatalogChange {
  readonly workflow_id: WorkflowId;
  readonly examples: readonly string[];
}
