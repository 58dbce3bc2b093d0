import type { Workflow } from "../../../src/domain/catalog.js";
import { unbounded } from "../../../src/domain/run-scope.js";
import { SluiceError } from "../../../src/errors/error.js";
import { bestPositions } from "../../../src/retrieval/best-positions.js";
import type { OpenEmbeddingCache } from "../../../src/retrieval/embedding-cache.js";
import type { OpenRetriever } from "../../../src/retrieval/load-retriever.js";

/** A text whose workflow is known. */
export interface KnownText {
  readonly text: string;
  readonly workflowId: string;
  /** Workflows that compete; all of them by default. */
  readonly allowed?: ReadonlySet<string>;
}

/** Where the retriever ranks the right workflow of a text. */
export interface RankedText extends KnownText {
  /** The workflow that is ranked first. */
  readonly first: string;
  /** 1-based rank of the right workflow among the first three; null below. */
  readonly place: number | null;
}

/** What ranks, and what stops it. */
export interface RankingWork {
  readonly retriever: OpenRetriever;
  /** Vectors of texts that several parts share. */
  readonly cache: OpenEmbeddingCache;
  readonly signal: AbortSignal;
  /** Called after each text that was ranked. */
  readonly onRanked: () => void;
}

/** Number of ranks that are examined. */
const examinedPlaces = 3;

/**
 * Ranks texts over a catalog.
 * @throws {SluiceError} INTERRUPTED, and those of loading a retriever
 */
export async function rankTexts(
  workflows: readonly Workflow[],
  texts: readonly KnownText[],
  { retriever, cache, signal, onRanked }: RankingWork,
): Promise<readonly RankedText[]> {
  const index = await retriever.over(workflows, { cache, signal });
  const ranked: RankedText[] = [];
  for (const known of texts) {
    if (signal.aborted) throw new SluiceError("INTERRUPTED", "the ranking was interrupted");
    const ranking = await index.rank(known.text, unbounded);
    const competes = (position: number): boolean =>
      known.allowed === undefined || known.allowed.has(ranking.workflowIds[position] ?? "");
    const best = bestPositions(ranking, examinedPlaces, competes).map(
      (position) => ranking.workflowIds[position] ?? "",
    );
    const place = best.indexOf(known.workflowId);
    ranked.push({ ...known, first: best[0] ?? "", place: place < 0 ? null : place + 1 });
    onRanked();
  }
  return ranked;
}

/** Number of parts; each part is ranked by a catalog without it. */
export const parts = 5;

/**
 * Each example ranked by a catalog that does not hold it: the examples of each workflow are spread over the parts,
 * and each part is ranked with the others as the catalog. A workflow with one example is ranked by its name and
 * description.
 */
export async function rankExamples(workflows: readonly Workflow[], work: RankingWork): Promise<readonly RankedText[]> {
  const ranked: RankedText[] = [];
  for (let part = 0; part < parts; part += 1) {
    const hidden = workflows.flatMap(({ workflowId, examples }) =>
      examples.filter((_, index) => index % parts === part).map((text) => ({ text, workflowId })),
    );
    if (hidden.length === 0) continue;
    const without = workflows.map((workflow) => ({
      ...workflow,
      examples: workflow.examples.filter((_, index) => index % parts !== part),
    }));
    ranked.push(...(await rankTexts(without, hidden, work)));
  }
  return ranked;
}

/** How many texts rank their workflow first when each workflow has so many examples. */
export interface GainStep {
  readonly examples: number;
  readonly first: number;
  readonly texts: number;
}

/** Numbers of examples that are compared. */
const gainSteps = [0, 1, 3] as const;
/** Texts below which a step would say nothing. */
const fewestTexts = 20;

/**
 * What examples bring in this catalog: the same texts, the fourth example of each workflow and later ones, ranked with
 * no example, one, and three for each workflow. Empty for a catalog with too few examples.
 */
export async function exampleGain(workflows: readonly Workflow[], work: RankingWork): Promise<readonly GainStep[]> {
  const most = Math.max(...gainSteps);
  const texts = workflows.flatMap(({ workflowId, examples }) =>
    examples.slice(most).map((text) => ({ text, workflowId })),
  );
  if (texts.length < fewestTexts) return [];
  const steps: GainStep[] = [];
  for (const examples of gainSteps) {
    const shortened = workflows.map((workflow) => ({ ...workflow, examples: workflow.examples.slice(0, examples) }));
    const ranked = await rankTexts(shortened, texts, work);
    steps.push({ examples, first: ranked.filter(({ place }) => place === 1).length, texts: texts.length });
  }
  return steps;
}

/** Texts that `rankExamples` and `exampleGain` rank together. */
export function textsToRank(workflows: readonly Workflow[]): number {
  const all = workflows.reduce((sum, { examples }) => sum + examples.length, 0);
  const late = workflows.reduce((sum, { examples }) => sum + Math.max(0, examples.length - Math.max(...gainSteps)), 0);
  return all + (late < fewestTexts ? 0 : late * gainSteps.length);
}
