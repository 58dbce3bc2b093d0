import type { Catalog } from "../../src/domain/catalog.js";
import type { Run } from "../../src/domain/scored-record.js";
import { defaultCrossFit } from "../../calibrate/fit-options.js";
import { type ScoreRowsOptions, scoreWith, withModels } from "../evaluation/score-rows.js";
import type { OpenModels } from "../../src/routing/load-models.js";
import type { History } from "../history/open.js";
import {
  type Kept,
  readCatalog,
  readDataset,
  readModel,
  readPolicy,
  readRun,
  readScoredRecords,
} from "../records/read-records.js";
import type { Stage } from "../records/stage.js";
import { silentProgress, type StepProgress } from "../step-progress.js";
import type { CatalogChange } from "./catalog-change.js";
import { chooseSuggestions } from "./choose-suggestions.js";
import { learnableRows } from "./learnable-rows.js";
import { measureChange, type MeasureInput } from "./measure-change.js";
import { misplacedExamples, type ScoreWith } from "./misplaced-examples.js";
import type { UnlabelledText } from "./read-unlabelled.js";
import { labelSuggestion, type RequestToLabel, requestsToLabel } from "./requests-to-label.js";
import { type Gain, type MeasuredSuggestion, type Suggestion, suggestionKinds } from "./suggestion.js";

export interface SuggestOptions {
  readonly runId?: string | undefined;
  /** Number of suggestions that are measured; each indexes a copy of the catalog. */
  readonly limit: number;
  /** Held-out requests that are scored again for each of them, at most. */
  readonly requests: number;
  /** Requests to label. */
  readonly labels: number;
  /** Texts that could be labelled; null where none are given. */
  readonly unlabelled: readonly UnlabelledText[] | null;
  /** Inference threads. */
  readonly workers: number;
}

export interface SuggestedChanges {
  readonly run: Kept<Run>;
  readonly catalog: Kept<Catalog>;
  /** Requests that suggestions were chosen from, and others that measured them. */
  readonly chosenFrom: number;
  readonly measuredOn: number;
  /** The largest measured gain first. */
  readonly suggestions: readonly MeasuredSuggestion[];
  /** Every change of examples among them at once; null for fewer than two. */
  readonly together: Gain | null;
  /** The texts to label next; null where none were given. */
  readonly toLabel: readonly RequestToLabel[] | null;
  /** Measures any set of changes on the same requests. */
  readonly measure: (changes: readonly CatalogChange[]) => Promise<Gain>;
}

/**
 * Suggests changes of the catalog of a run, and measures each by applying it to a copy. Choosing reads one half of
 * the requests that no claim tests, measuring the other, so no claim is invalidated; without such requests there are no
 * suggestions. Nothing is written.
 * @throws {SluiceError} those of reading and loading
 */
export async function suggestChanges(stage: Stage, options: SuggestOptions): Promise<SuggestedChanges> {
  const { history, context } = stage;
  const run = readRun(history, options.runId);
  const catalog = readCatalog(history, run.document.catalogSha256);
  const rows = readDataset(history, run.document.datasetSha256).document;
  const { choose, measure: held } = learnableRows(rows, readScoredRecords(history, run), {
    testsTune: defaultCrossFit > 1,
    fittedOnFit: isFittedOn(history, run.document),
  });
  const measure = held.slice(0, options.requests);
  const asked = rescoringOf(stage, run.document, options.workers);
  const measureAlone = (changes: readonly CatalogChange[]): Promise<Gain> =>
    withModels(asked, (models) =>
      measureChange({ catalog: catalog.bytes, measure, score: scorerWith(models, asked) }, changes),
    );
  const nothing = choose.length === 0 || measure.length === 0;
  if (nothing && options.unlabelled === null) {
    const none = { chosenFrom: 0, suggestions: [], together: null, toLabel: null };
    return { run, catalog, measuredOn: measure.length, measure: measureAlone, ...none };
  }
  const found = await withModels(asked, async (models) => {
    const score = scorerWith(models, asked);
    const input: MeasureInput = { catalog: catalog.bytes, measure, score };
    const chosen = nothing
      ? []
      : await chooseAll({ catalog: catalog.document, choose }, score, { ...options, progress: context.progress });
    const measured: MeasuredSuggestion[] = [];
    context.progress.start("measuring", chosen.length + 1);
    for (const suggestion of chosen) {
      measured.push({ ...suggestion, gain: await measureChange(input, suggestion.changes) });
      context.progress.update(measured.length);
    }
    const examples = measured.filter(({ kind }) => kind === "add_examples" || kind === "move_example");
    const changes = examples.flatMap((example) => example.changes);
    return {
      suggestions: measured.sort((a, b) => (b.gain.difference ?? 0) - (a.gain.difference ?? 0)),
      together: examples.length < 2 ? null : await measureChange(input, changes),
      toLabel:
        options.unlabelled === null
          ? null
          : await labelNext(options.unlabelled, catalog.document, score, options.labels),
    };
  });
  context.progress.done();
  return {
    run,
    catalog,
    chosenFrom: nothing ? 0 : choose.length,
    measuredOn: measure.length,
    ...found,
    measure: measureAlone,
  };
}

async function chooseAll(
  input: Parameters<typeof chooseSuggestions>[0],
  score: ScoreWith,
  { limit, labels, progress }: SuggestOptions & { readonly progress: StepProgress },
): Promise<readonly Suggestion[]> {
  const label = labelSuggestion(input.choose, labels);
  const all = [
    ...chooseSuggestions(input),
    ...(await misplacedExamples(input, score, progress)),
    ...(label === null ? [] : [label]),
  ];
  return takeTurns(all).slice(0, limit);
}

/** The first of each kind, then the second of each kind, and so on. */
function takeTurns(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const byKind = suggestionKinds.map((kind) => suggestions.filter((suggestion) => suggestion.kind === kind));
  const most = Math.max(0, ...byKind.map((own) => own.length));
  return Array.from({ length: most }, (_, turn) => byKind.flatMap((own) => own[turn] ?? [])).flat();
}

/** How the requests of a run are scored again. */
type Rescoring = Omit<ScoreRowsOptions, "catalog" | "rows" | "foldOf">;

function rescoringOf({ history, context }: Stage, run: Run, workers: number): Rescoring {
  const models = {
    retrieverFiles: readModel(history, run.retrieverSha256).files,
    verifierFiles: readModel(history, run.verifierSha256).files,
  };
  const policy = readPolicy(history, run.policySha256).document;
  return { policy, models, context, progress: silentProgress, workers };
}

const scorerWith =
  (models: OpenModels, rescoring: Rescoring): ScoreWith =>
  async (catalog, rows) => {
    const foldOf = new Map(rows.map(({ id }) => [`row:${id}`, "tune" as const]));
    return (await scoreWith(models, { ...rescoring, catalog, rows, foldOf })).records;
  };

async function labelNext(
  texts: readonly UnlabelledText[],
  catalog: Catalog,
  score: ScoreWith,
  most: number,
): Promise<readonly RequestToLabel[]> {
  const rows = texts.map(({ id, text }) => ({ id, text, workflowId: null }));
  return requestsToLabel(await score(catalog, rows), most);
}

/** Whether the models of a run were fitted on its dataset. */
function isFittedOn(history: History, { retrieverSha256, verifierSha256, datasetSha256 }: Run): boolean {
  return [retrieverSha256, verifierSha256].some((id) =>
    [...readModel(history, id).files.values()].some(
      (bytes) => bytes.length < largestCard && bytes.includes(datasetSha256),
    ),
  );
}

/** Bytes of a description that names what a model was fitted on; weights are larger. */
const largestCard = 1_000_000;
