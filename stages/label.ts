import type { OptionsOf, ValuesOf } from "../src/base/options.js";
import type { labelOptions } from "./options/project.js";
import { densities, rankExamples } from "../datasets/labelling/choose-example.js";
import { halvesOf, keyedOrder, mostRows } from "../datasets/labelling/halves.js";
import type { Click, ClickPhase, DrawPlan } from "../datasets/labelling/label-records.js";
import { csvLine } from "../datasets/csv-line.js";
import { datasetBytes } from "../datasets/dataset-bytes.js";
import { textKey } from "../datasets/near-duplicates.js";
import { readJsonl } from "../datasets/read-jsonl.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { sha256Hex } from "../src/base/sha256.js";
import { readIfThere, readInput, replaceFile, writeNewFile } from "../src/base/files.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { counted, formatCount, formatPercent } from "../src/documents/number-text.js";
import { defaultPolicy } from "../src/documents/policy.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { loadCatalog, parseCatalog } from "../src/router/catalog/load.js";
import {
  type ModelSources,
  type OpenModels,
  openModels,
  threadsFor,
  vectorsOfTexts,
} from "../src/router/load-models.js";
import { applyCalibration, marginOf } from "../src/router/policy/apply-calibration.js";
import { identityCurve } from "../src/router/policy/calibrator-curve.js";
import { activeWorkflows } from "../src/router/policy/eligibility.js";
import { readDirectory } from "../src/trust/directory-hash.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import type { History } from "../store/history/open.js";
import { treeSize } from "../store/history/tree.js";
import { inTransaction } from "../store/history/write.js";
import { type ProjectFile, readProject } from "../store/project/project-file.js";
import { readCatalog, type Stored } from "../store/records/read-records.js";
import { saveRecord, type Session, withHistory } from "../store/records/session.js";
import { silentProgress } from "../store/step-progress.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { defaultWorkers } from "./choices.js";
import {
  exampleRows,
  labelledRows,
  type Labelling,
  labellingOf,
  type LabelRecords,
  logRows,
  readLabelling,
  readLabelRecords,
  readLog,
  readLogSource,
  type RequestLog,
  requireOpenExamples,
  testProgress,
} from "./label/labelling.js";
import type { LabelQuestion, LabelView } from "../reports/label/label-page.js";
import { isOpen, type Labelled, lastClick, openExamples, openSeconds, phaseOf, progressText } from "./label/phase.js";
import { predictionsOfCommand, saveJudged } from "./label/judged.js";
import { withExamples } from "./catalog/edit-catalog.js";
import { labelledTest, planTest, roadsText, smallestHalf, smallestLog } from "./label/plan-test.js";
import { draftedExamples } from "./label/drafted-examples.js";
import { modelFolder } from "./project/model-folder.js";
import { scoreRows, scoreWith } from "./score/score-rows.js";

type LabelOptions = Pick<ValuesOf<typeof labelOptions>, "file"> &
  OptionsOf<typeof labelOptions> & {
    /** Number of inference threads. Default 2. */
    readonly workers?: number;
  };

/** An answer to a question. */
export interface LabelAnswer extends Pick<LabelQuestion, "phase" | "row"> {
  readonly answer: Exclude<Click["answer"], "undo">;
  /** null unless the answer is "workflow". */
  readonly workflow_id: string | null;
}

/** A labelling that is under way. */
export interface Labeller {
  view(): Promise<LabelView>;
  /** Saves an answer. Nothing is saved if the question is no longer open, because somebody else answered it. */
  answer(answer: LabelAnswer): Promise<void>;
  /** Withdraws the latest click of this person in the present phase. */
  undo(): Promise<void>;
  /** Closes the models. @returns number of texts that became examples of the catalog; see `labelOptions.texts` */
  close(): Promise<number>;
}

/**
 * Opens the labelling of a project's log, or of a file of texts. Each click is saved in the history before the next question.
 * The models stay open until it is closed.
 * @throws {SluiceError} FILE_NOT_FOUND, FORMAT_UNKNOWN; DOCUMENT_INVALID  the project has no log, or a short one; USAGE  examples
 *   are added after the plan of a test; IDENTITY_MISMATCH  the catalog was edited after it
 */
export async function openLabelling(workbench: WorkbenchContext, options: LabelOptions): Promise<Labeller> {
  const { file, texts: added, workers = defaultWorkers } = options;
  const project = await readProject(file);
  const queue =
    added === undefined
      ? await queueOfLog(workbench, project, options)
      : await queueOfTexts(workbench, project, { ...options, texts: added });
  const sources = await modelFilesOf(project);
  const pool = { workers, queueLimit: 4096, cache: embeddingCacheFolder(workbench.workspace.vectors) };
  const half = distinctTexts(queue.half);
  const texts = half.map(({ text }) => text);
  const found = await vectorsOfTexts(sources.retrieverFiles, texts, { ...pool, signal: workbench.signal });
  const vectors = texts.map((text) => found?.get(text) ?? new Float32Array());
  const density = densities(vectors);
  const placed = half.map(
    ({ id }, at) => [id, { vector: vectors[at] ?? new Float32Array(), density: density[at] ?? 0 }] as const,
  );
  const models = await openModels(sources, {
    ...pool,
    workers: threadsFor(texts.length, workers),
    cachesRequests: true,
  });
  const labeller = new OpenLabeller({ ...queue, workbench, project, models, workers, half, placed: new Map(placed) });
  // The first question is prepared before anybody waits for it, and refuses an edited catalog or seed.
  await labeller.view().catch(async (error: unknown) => {
    await models.close();
    throw error;
  });
  return labeller;
}

export interface DraftLabelsOptions extends Pick<LabelOptions, "file" | "workers"> {
  /** The CSV file to write. */
  readonly draft: string;
}

/** The number of texts in a draft, of workflows that they may be examples of, and of workflows without one. */
export interface LabelDraft {
  readonly texts: number;
  readonly workflows: number;
  readonly without: number;
}

/**
 * Writes the texts of a log that are most likely requests for each workflow, for review: CSV with `id`, `predicted`,
 * `confidence` and `text`. Reviewed, it is a `judge` of `openLabelling`.
 * @throws {SluiceError} FILE_NOT_FOUND; DOCUMENT_INVALID  the project has no log; USAGE  a test was planned; FILE_EXISTS, WRITE_FAILED
 */
export async function draftLabels(
  workbench: WorkbenchContext,
  { file, draft, workers = defaultWorkers }: DraftLabelsOptions,
): Promise<LabelDraft> {
  const project = await readProject(file);
  const log = await readLog(requireLog(project, file));
  const labelling = await withHistory(workbench, "write", async ({ history }) =>
    readLabelling(history, log, project.seed),
  );
  requireOpenExamples(labelling);
  const catalog = withExamples(await readInput(project.catalog), exampleRows(labelling, 1)).document;
  const rows = openExamples({ labelling, half: distinctTexts(halvesOf(log.rows, project.seed).examples) });
  const models = await modelFilesOf(project);
  const { records } = await scoreRows({ ...toSuggest(rows), catalog, models, context: workbench, workers });
  const ids = activeWorkflows(catalog).map(({ workflow_id }) => workflow_id);
  const drafted = draftedExamples(records, ids);
  const lines = drafted.map(({ id, workflow_id, confidence }) =>
    csvLine([id, workflow_id, confidence, log.byId.get(id)?.text ?? ""]),
  );
  // A file of that name may have been reviewed.
  await writeNewFile(draft, Buffer.from(`${["id,predicted,confidence,text", ...lines].join("\n")}\n`), 0o644);
  const workflows = new Set(drafted.map(({ workflow_id }) => workflow_id)).size;
  return { texts: drafted.length, workflows, without: ids.length - workflows };
}

async function modelFilesOf(project: ProjectFile): Promise<ModelSources> {
  const filesOf = async (role: "retriever" | "verifier") => (await readDirectory(modelFolder(project, role))).files;
  return { retrieverFiles: await filesOf("retriever"), verifierFiles: await filesOf("verifier") };
}

/** How rows are scored for suggestions: each of its own, by the default policy. */
const toSuggest = (rows: readonly LabelledRequest[]) => ({
  rows,
  foldOf: new Map(rows.map(({ id }) => [`row:${id}`, "tune" as const])),
  policy: defaultPolicy,
  progress: silentProgress,
});

/** The requests to label: a log whose routes are tested after the examples, or texts that only become examples. */
interface LabelQueue {
  readonly log: RequestLog;
  /** Seed that divides the log and shuffles suggestions. */
  readonly seed: number;
  readonly isTested: boolean;
  /** The requests from which examples are chosen. */
  readonly half: readonly LabelledRequest[];
  /** Largest number of draws of a first test after which enough requests are left for a second. */
  readonly drawsBeforeSecond: number;
}

async function queueOfLog(
  workbench: WorkbenchContext,
  project: ProjectFile,
  { file, judge, judgeCommand: command }: LabelOptions,
): Promise<LabelQueue> {
  const { seed } = project;
  const log = await readLog(requireLog(project, file));
  requireLength(log, project);
  if (judge !== undefined && command !== undefined) {
    throw new SluiceError("USAGE", "found a file and a command that judge, expected one of them");
  }
  if (judge !== undefined) {
    await saveJudged(workbench, { project, log, predictions: { file: judge, bytes: await readInput(judge) } });
  }
  if (command !== undefined) {
    await requireNoTest(workbench, log, seed);
    const predictions = await predictionsOfCommand(workbench, { project, log, command });
    await saveJudged(workbench, { project, log, predictions });
  }
  const { examples: half, test } = halvesOf(log.rows, seed);
  return {
    log,
    seed,
    isTested: true,
    half,
    drawsBeforeSecond: test.length - smallestHalf(2, labelledTest(project)),
  };
}

/** @throws {SluiceError} USAGE  a test of the log was planned */
const requireNoTest = (workbench: WorkbenchContext, log: RequestLog, seed: number): Promise<void> =>
  withHistory(workbench, "write", async ({ history }) => requireOpenExamples(readLabelling(history, log, seed)));

/** The texts of a file that are neither examples nor requests of the project. */
async function queueOfTexts(
  workbench: WorkbenchContext,
  project: ProjectFile,
  { texts, judge, judgeCommand }: LabelOptions & { readonly texts: string },
): Promise<LabelQueue> {
  if (judge !== undefined || judgeCommand !== undefined) {
    throw new SluiceError("USAGE", "found a file of texts and a judge, expected one of them", {
      hint: "Predictions are for the log of a project: leave out the file of texts.",
    });
  }
  if (project.log !== undefined) {
    await requireNoTest(workbench, await readLog(project.log), project.seed);
  }
  const rows = logRows(await readLogSource(texts, {}));
  const { catalog } = await loadCatalog(project.catalog);
  const requests = (await readIfThere(project.requests)) ?? Buffer.alloc(0);
  const known = new Set([
    ...catalog.workflows.flatMap(({ examples }) => examples.map(textKey)),
    ...readJsonl(requests, project.requests).map(({ text }) => textKey(text)),
  ]);
  const seed = 0;
  return {
    log: { sha256: sha256Hex(datasetBytes(rows)), rows, byId: new Map(rows.map((row) => [row.id, row])) },
    seed,
    isTested: false,
    half: keyedOrder(
      rows.filter(({ text }) => !known.has(textKey(text))),
      { seed, purpose: "texts" },
    ).slice(0, mostRows),
    drawsBeforeSecond: 0,
  };
}

/** @throws {SluiceError} DOCUMENT_INVALID */
function requireLog({ log }: ProjectFile, file: string): string {
  if (log !== undefined) return log;
  throw new SluiceError("DOCUMENT_INVALID", `${file}: names no log, expected one`, {
    hint: say`Name a file of texts to label as examples: ${command`sluice label FILE`}. For a claim, create a project with an unlabelled log: ${command`sluice init CATALOG --log FILE --into DIR`}`,
  });
}

/** @throws {SluiceError} DOCUMENT_INVALID */
function requireLength({ rows }: RequestLog, project: ProjectFile): void {
  const test = labelledTest(project);
  const least = smallestLog(test);
  if (rows.length >= least) return;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `${project.log}: found ${counted(rows.length, "request")}, expected at least ${formatCount(least)} for a target of ${formatPercent(test.target)}`,
    { hint: say`Use a longer log: ${command`sluice init catalog.yaml --log FILE`}` },
  );
}

/** The first row of each text. */
const distinctTexts = (rows: readonly LabelledRequest[]): readonly LabelledRequest[] =>
  [...new Map(rows.toReversed().map((row) => [row.text, row])).values()].reverse();

interface LabellerParts extends LabelQueue {
  readonly workbench: WorkbenchContext;
  readonly project: ProjectFile;
  readonly models: OpenModels;
  readonly workers: number;
  /** By id, the unit vectors of the texts of `half` and their densities. */
  readonly placed: ReadonlyMap<string, { readonly vector: Float32Array; readonly density: number }>;
}

/** What the router says about a request: likeliest workflows, and the lead of the first. */
interface Suggested {
  readonly workflows: readonly string[];
  readonly margin: number;
}

/** Clicks on examples after which the router learns from them. */
const clicksPerFit = 4;
const shortlistLength = 5;

/** Lead of the first workflow over the second, in the verifier's own probability. */
function leadOf({ candidates }: ScoredRecord): number {
  const [first, second] = applyCalibration(identityCurve, candidates).filter(({ eligible }) => eligible);
  return marginOf(first?.confidence ?? 0, second?.confidence ?? 0);
}

class OpenLabeller implements Labeller {
  private readonly parts: LabellerParts;
  /** Suggestions by request, and what they were computed from. */
  private suggested: ReadonlyMap<string, Suggested> = new Map();
  private learnedFrom = "";
  /** Number of texts that became examples of the catalog file. */
  private added = 0;
  private drawsBeforeSecond: number;
  /** The clicks and tests, and the size of the history that had them. */
  private known: (LabelRecords & { readonly size: number }) | null = null;

  constructor(parts: LabellerParts) {
    this.parts = parts;
    this.drawsBeforeSecond = parts.drawsBeforeSecond;
  }

  async view(): Promise<LabelView> {
    const { catalog, labelled } = await this.read();
    const phase = phaseOf(labelled);
    if (phase === "freeze") {
      const { project, workers } = this.parts;
      const { labelling } = labelled;
      const isPlanned = await this.session((session) =>
        planTest(session, { project, labelling, catalog: catalog.bytes, workers }),
      );
      if (!isPlanned) this.drawsBeforeSecond = 0;
      return this.view();
    }
    if (phase === "done" && !this.parts.isTested) await this.addExamples();
    else if (phase === "second" || phase === "done") await this.writeRequests(labelled.labelling);
    const workflows = activeWorkflows(catalog.document).map(({ workflow_id, name }) => ({ workflow_id, name }));
    return {
      question: phase === "done" ? null : await this.question(labelled, phase, catalog),
      progress: progressText(labelled, labelledTest(this.parts.project).target),
      workflows,
      canUndo: lastClick(labelled) !== null,
      isTested: this.parts.isTested,
      advice: this.parts.isTested && labelled.labelling.clicks === 0 ? this.roads(workflows.length) : null,
    };
  }

  async answer({ row, phase, answer, workflow_id }: LabelAnswer): Promise<void> {
    const rank = (this.suggested.get(row)?.workflows.indexOf(workflow_id ?? "") ?? -1) + 1;
    const { catalog } = await this.read();
    if (workflow_id !== null && !catalog.document.workflows.some((one) => one.workflow_id === workflow_id)) {
      throw new SluiceError("REQUEST_MALFORMED", `the catalog has no workflow ${workflow_id}`);
    }
    await this.append(catalog.document, (labelled) =>
      isOpen(labelled, phase, row)
        ? { phase, row, answer, workflow_id: workflow_id as WorkflowId | null, rank: rank === 0 ? null : rank }
        : null,
    );
  }

  async undo(): Promise<void> {
    const { catalog } = await this.read();
    await this.append(catalog.document, (labelled) => {
      const last = lastClick(labelled);
      return last === null ? null : { ...last, answer: "undo", workflow_id: null, rank: null };
    });
  }

  async close(): Promise<number> {
    await this.parts.models.close();
    const { labelled } = await this.read();
    if (this.parts.isTested) await this.writeRequests(labelled.labelling);
    else await this.addExamples();
    return this.added;
  }

  private roads(workflows: number): string {
    const { log, project } = this.parts;
    return roadsText({ workflows, requests: log.rows.length }, labelledTest(project));
  }

  private session<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return withHistory(this.parts.workbench, "write", run);
  }

  private seenIn(labelling: Labelling, { workflows }: Catalog): Labelled {
    const { half, isTested, workbench } = this.parts;
    const { drawsBeforeSecond } = this;
    return { labelling, half, isTested, drawsBeforeSecond, actor: workbench.actor, workflows: workflows.length };
  }

  private async read(): Promise<{ readonly labelled: Labelled; readonly catalog: Stored<Catalog> }> {
    return this.session(async ({ history }) => {
      const labelling = labellingOf(this.parts.log, this.recordsIn(history));
      const catalog = await this.catalogOf(labelling, (id) => readCatalog(history, id));
      return { labelled: this.seenIn(labelling, catalog.document), catalog };
    });
  }

  /** The catalog of the project; after the plan of a test, that of the plan, which the file must still hold. */
  private async catalogOf({ plans }: Labelling, saved: (id: string) => Stored<Catalog>): Promise<Stored<Catalog>> {
    const { catalog: file } = this.parts.project;
    const bytes = await readInput(file);
    const document = parseCatalog(bytes, file);
    const plan = plans.at(-1)?.document;
    if (plan === undefined) return { sha256: document.sha256, bytes, document };
    const frozen = saved(plan.catalog_sha256);
    if (document.sha256 === frozen.sha256) return frozen;
    throw new SluiceError("IDENTITY_MISMATCH", `${file}: differs from the catalog of the test on this log`, {
      hint: say`Restore it: ${command`sluice catalog export ${frozen.sha256.slice(0, 12)}`}. To change the catalog, start a new test with another log: ${command`sluice init catalog.yaml --log FILE`}`,
    });
  }

  /** The clicks and tests; they are read again only if another process wrote to the history. */
  private recordsIn(history: History): LabelRecords {
    const size = treeSize(history);
    if (this.known?.size === size) return this.known;
    const { log, seed } = this.parts;
    this.known = { ...readLabelRecords(history, log, seed), size };
    return this.known;
  }

  /** Saves one click, unless `make` returns none for what was clicked so far. */
  private async append(
    catalog: Catalog,
    make: (labelled: Labelled) => Pick<Click, "phase" | "row" | "answer" | "workflow_id" | "rank"> | null,
  ): Promise<void> {
    const { log, seed } = this.parts;
    await this.session(async (session) =>
      inTransaction(session.history, () => {
        const { clicks, plans } = this.recordsIn(session.history);
        const made = make(this.seenIn(labellingOf(log, { clicks, plans }), catalog));
        if (made === null) return;
        const { phase, row, answer, workflow_id, rank } = made;
        const click: Click = {
          schema_version: 1,
          log_sha256: log.sha256,
          seed,
          number: clicks.length + 1,
          phase,
          row,
          answer,
          workflow_id,
          rank,
          judged: false,
        };
        saveRecord(session, "click", canonicalBytes(click));
        const size = treeSize(session.history);
        this.known = { clicks: [...clicks, { ...click, by: session.actor }], plans, size };
      }),
    );
  }

  private async question(labelled: Labelled, phase: ClickPhase, catalog: Stored<Catalog>): Promise<LabelQuestion> {
    const row =
      phase === "example" ? await this.nextExample(labelled, catalog) : await this.nextDraw(labelled, catalog);
    const { seed, log } = this.parts;
    const names = new Map(catalog.document.workflows.map(({ workflow_id, name }) => [workflow_id as string, name]));
    const likeliest = (this.suggested.get(row)?.workflows ?? []).slice(0, shortlistLength).map((id) => ({ id }));
    // In a test, the order must not tell where the router would route.
    const shown = phase === "example" ? likeliest : keyedOrder(likeliest, { seed, purpose: `${phase} ${row}` });
    return {
      phase,
      row,
      text: log.byId.get(row)?.text ?? "",
      shortlist: shown.map(({ id }) => ({ workflow_id: id, name: names.get(id) ?? id })),
    };
  }

  /** The next example. The router learns from every fourth click before it is asked again. */
  private async nextExample(labelled: Labelled, catalog: Stored<Catalog>): Promise<string> {
    const { labelling } = labelled;
    const { placed, half } = this.parts;
    const rows = exampleRows(labelling, labelling.plans.length === 0 ? 1 : 2);
    const fits = Math.floor(labelling.of.example.length / clicksPerFit);
    await this.suggestFor(`${catalog.sha256} ${fits}`, half, withExamples(catalog.bytes, rows).document);
    const open = openExamples(labelled).map(({ id }) => {
      const { workflows, margin } = this.suggested.get(id) ?? { workflows: [], margin: 0 };
      const { vector, density } = placed.get(id) ?? { vector: new Float32Array(), density: 0 };
      return { id, vector, density, margin, predicted: workflows[0] ?? null };
    });
    const labels = new Map<string, number>();
    for (const { workflow_id: id } of rows) if (id !== null) labels.set(id, (labels.get(id) ?? 0) + 1);
    const vectors = labelling.of.example.flatMap(({ row }) => placed.get(row)?.vector ?? []);
    return rankExamples(open, { vectors, labels })[0]?.id ?? "";
  }

  private async nextDraw(labelled: Labelled, catalog: Stored<Catalog>): Promise<string> {
    const { labelling } = labelled;
    const plan = labelling.plans.at(-1)?.document as DrawPlan;
    const rows = plan.draws.flatMap(({ row }) => labelling.log.byId.get(row) ?? []);
    await this.suggestFor(`test ${catalog.sha256}`, rows, catalog.document);
    return testProgress(labelling, plan).next ?? openSeconds(labelled)[0] ?? "";
  }

  /** Scores requests over a catalog, unless they were scored for the same reason before. */
  private async suggestFor(reason: string, rows: readonly LabelledRequest[], catalog: Catalog): Promise<void> {
    if (this.learnedFrom === reason) return;
    const { models, workbench, workers } = this.parts;
    const { records } = await scoreWith(models, { ...toSuggest(rows), catalog, context: workbench, workers });
    this.suggested = new Map(
      records.map((record) => [
        record.id,
        { workflows: record.candidates.map(({ workflow_id }) => workflow_id), margin: leadOf(record) },
      ]),
    );
    this.learnedFrom = reason;
  }

  /** Adds the labelled texts that the catalog file lacks to its examples. */
  private async addExamples(): Promise<void> {
    const { labelled, catalog } = await this.read();
    const edited = withExamples(catalog.bytes, exampleRows(labelled.labelling, 1));
    const count = ({ workflows }: Catalog): number => workflows.reduce((sum, { examples }) => sum + examples.length, 0);
    const added = count(edited.document) - count(catalog.document);
    if (added > 0) await replaceFile(this.parts.project.catalog, edited.bytes, 0o644);
    this.added += added;
  }

  /** Writes the examples and draws as the labelled requests of the project. */
  private async writeRequests(labelling: Labelling): Promise<void> {
    const { requests } = this.parts.project;
    const bytes = datasetBytes(labelledRows(labelling));
    if ((await readIfThere(requests))?.equals(bytes) !== true) await replaceFile(requests, bytes, 0o644);
  }
}
