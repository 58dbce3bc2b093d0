import { drawnSplit } from "../../datasets/split-by-request.js";
import type { Click, ClickPhase, DrawPlan } from "../../datasets/labelling/label-records.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { defaultChoices, type MaterialChoices } from "../../datasets/sources/choices.js";
import { readUnlabelled, type UnlabelledMaterial } from "../../datasets/sources/unlabelled.js";
import { type DrawnCounts, sequentialState, type SequentialState } from "../../calibrate/sequential-test.js";
import { readInput } from "../../src/base/files.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import type { DrawnRoutes } from "../../src/documents/calibration.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Folds, Split } from "../../src/documents/split.js";
import type { History } from "../../store/history/open.js";
import { listRecords, type Stored } from "../../store/records/read-records.js";
import { readSourceFiles } from "../import/read-source.js";

export interface RequestLog {
  readonly sha256: Sha256;
  readonly rows: readonly LabelledRequest[];
  readonly byId: ReadonlyMap<string, LabelledRequest>;
}

/**
 * Reads a file of unlabelled requests.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, TOO_LARGE, FORMAT_UNKNOWN, DOCUMENT_INVALID
 */
export async function readLogSource(path: string, choices: Partial<MaterialChoices>): Promise<UnlabelledMaterial> {
  const [file, ...others] = await readSourceFiles(path);
  if (file !== undefined && others.length === 0) {
    return readUnlabelled(file, { ...defaultChoices, ...choices, outOfScopeLabels: [] });
  }
  throw new SluiceError("FORMAT_UNKNOWN", `${path}: found a folder, expected one file of unlabelled requests`);
}

/** The rows of a log, in its order; a text that occurs often has as many rows. */
export const logRows = ({ texts }: UnlabelledMaterial): readonly LabelledRequest[] =>
  texts.map(({ text }, index) => ({ id: `log-${index + 1}`, text, workflow_id: null }));

/** @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, DOCUMENT_INVALID */
export async function readLog(file: string): Promise<RequestLog> {
  const bytes = await readInput(file);
  const rows = readJsonl(bytes, file);
  return { sha256: sha256Hex(bytes), rows, byId: new Map(rows.map((row) => [row.id, row])) };
}

export interface Judgement extends Click {
  readonly by: string;
}

export interface Labelling {
  readonly log: RequestLog;
  /** Number of clicks so far, including withdrawn ones. */
  readonly clicks: number;
  /** The judgements of each phase that were not withdrawn, in order. */
  readonly of: Readonly<Record<ClickPhase, readonly Judgement[]>>;
  /** The tests on this log, in order. */
  readonly plans: readonly Stored<DrawPlan>[];
}

/** The clicks and tests of a log as the history has them. */
export interface LabelRecords {
  readonly clicks: readonly Judgement[];
  readonly plans: readonly Stored<DrawPlan>[];
}

/**
 * Reads the clicks and tests of a log from the history.
 * @throws {SluiceError} IDENTITY_MISMATCH  the seed of the project was changed since the first click
 */
export function readLabelRecords(history: History, { sha256 }: RequestLog, seed: number): LabelRecords {
  const clicks = listRecords(history, "click")
    .map(({ document, actor }) => ({ ...document, by: actor }))
    .filter((click) => click.log_sha256 === sha256);
  const other = clicks.find((click) => click.seed !== seed);
  if (other !== undefined) {
    throw new SluiceError(
      "IDENTITY_MISMATCH",
      `found seed ${seed} in the project, expected ${other.seed} of its clicks`,
      { hint: `Restore "seed: ${other.seed}" in sluice.yaml: it divides the log into examples and test.` },
    );
  }
  return { clicks, plans: listRecords(history, "draw").filter(({ document }) => document.log_sha256 === sha256) };
}

export function labellingOf(log: RequestLog, { clicks, plans }: LabelRecords): Labelling {
  const standing: Judgement[] = [];
  for (const click of clicks) {
    const { answer, row, phase } = click;
    if (answer !== "undo") standing.push(click);
    else
      standing.splice(
        standing.findLastIndex((one) => one.row === row && one.phase === phase),
        1,
      );
  }
  const inPhase = (wanted: ClickPhase) => standing.filter(({ phase }) => phase === wanted);
  const of = { example: inPhase("example"), test: inPhase("test"), second: inPhase("second") };
  return { log, clicks: clicks.length, of, plans };
}

/** The labelling of a log. @throws {SluiceError} as `readLabelRecords` */
export const readLabelling = (history: History, log: RequestLog, seed: number): Labelling =>
  labellingOf(log, readLabelRecords(history, log, seed));

/** @throws {SluiceError} USAGE  a test was planned, so its examples are fixed */
export function requireOpenExamples({ plans }: Labelling): void {
  if (plans.length === 0) return;
  throw new SluiceError("USAGE", "a test of this log was planned, so the examples are fixed", {
    hint: say`Continue the test (${command`sluice label`}), or start another with a new log: ${command`sluice init catalog.yaml --log FILE`}`,
  });
}

export interface JudgedDraw {
  readonly row: string;
  readonly judgement: Judgement;
  readonly wrong: boolean;
}

/** How far a test has come. */
export interface TestProgress extends DrawnCounts {
  readonly judged: readonly JudgedDraw[];
  readonly state: SequentialState;
  /** The draw to judge next; null at the end of the test. */
  readonly next: string | null;
}

/** Follows a test in the order of its draws. A text that was judged before in the test is not judged again. */
export function testProgress({ log, of }: Labelling, { draws: planned, stops }: DrawPlan): TestProgress {
  const textOf = (row: string): string => log.byId.get(row)?.text ?? "";
  const rows = new Set(planned.map(({ row }) => row));
  const answers = new Map(of.test.filter(({ row }) => rows.has(row)).map((click) => [textOf(click.row), click]));
  const judged: JudgedDraw[] = [];
  let wrong = 0;
  for (const { row, routed } of planned) {
    const judgement = answers.get(textOf(row));
    if (judgement === undefined) return { draws: judged.length, wrong, judged, state: "open", next: row };
    const isWrong = judgement.answer !== "workflow" || judgement.workflow_id !== routed;
    judged.push({ row, judgement, wrong: isWrong });
    wrong += isWrong ? 1 : 0;
    const state = sequentialState({ stops }, { draws: judged.length, wrong });
    if (state !== "open") return { draws: judged.length, wrong, judged, state, next: null };
  }
  return { draws: judged.length, wrong, judged, state: "failed", next: null };
}

/** Second opinions on a test: those given, and how many differ. */
export function secondOpinions({ of }: Labelling, { judged }: TestProgress) {
  const first = new Map(judged.map(({ row, judgement }) => [row, judgement]));
  const given = of.second.filter(({ row }) => first.has(row));
  const differs = ({ row, answer, workflow_id: workflow }: Judgement): boolean =>
    first.get(row)?.answer !== answer || first.get(row)?.workflow_id !== workflow;
  return { second_opinions: given.length, disagreements: given.filter(differs).length };
}

/** The judgements that become examples before a test: those of its phase and the draws of an earlier test. */
export function exampleRows(labelling: Labelling, stage: DrawPlan["stage"]): readonly LabelledRequest[] {
  const { log, of, plans } = labelling;
  const [first] = plans;
  const tested = stage === 2 && first !== undefined ? testProgress(labelling, first.document).judged : [];
  const judgements = [...of.example, ...tested.map(({ judgement }) => judgement)];
  const seen = new Set<string>();
  return judgements.flatMap((click): readonly LabelledRequest[] => {
    const text = log.byId.get(click.row)?.text;
    if (text === undefined || click.answer === "unsure" || seen.has(text)) return [];
    seen.add(text);
    return [{ id: click.row, text, workflow_id: click.workflow_id, ...(click.judged ? { slices: judgedSlice } : {}) }];
  });
}

const judgedSlice = { labelled_by: "another system" };

/** The rows of a test, each draw as often as it was drawn. */
export function testRows(labelling: Labelling, plan: DrawPlan): readonly LabelledRequest[] {
  return testProgress(labelling, plan).judged.map(({ row, judgement: { answer, workflow_id } }) => ({
    id: row,
    text: labelling.log.byId.get(row)?.text ?? "",
    workflow_id,
    ...(answer === "unsure" ? { slices: { answer } } : {}),
  }));
}

/** The labelled requests of the latest test: its examples and its draws. */
export function labelledRows(labelling: Labelling): readonly LabelledRequest[] {
  const plan = labelling.plans.at(-1)?.document;
  const tests = plan === undefined ? [] : testRows(labelling, plan);
  return [...exampleRows(labelling, plan?.stage ?? 1), ...tests];
}

export function drawnRoutesOf(labelling: Labelling, { sha256, document }: Stored<DrawPlan>): DrawnRoutes {
  const progress = testProgress(labelling, document);
  const { threshold, stops, delta, spent, routed_share } = document;
  return {
    plan_sha256: sha256,
    threshold,
    stops,
    delta,
    spent,
    routed_share,
    people: new Set(progress.judged.map(({ judgement }) => judgement.by)).size,
    ...secondOpinions(labelling, progress),
  };
}

export interface DrawnSplitOptions {
  readonly dataset_sha256: Sha256;
  readonly catalog_sha256: Sha256;
  readonly seed: number;
  readonly examples: readonly LabelledRequest[];
  readonly tests: readonly LabelledRequest[];
}

/** The split of a test: examples in TUNE, draws in CERTIFY. */
export function splitOfDraws({ examples, tests, ...identity }: DrawnSplitOptions): Split {
  const fold = (rows: readonly LabelledRequest[]): Folds["fit"] => ({
    clusters: rows.map(({ id }) => `row:${id}`).sort(),
    requests: rows.length,
    workflows: new Set(rows.flatMap(({ workflow_id }) => workflow_id ?? [])).size,
    out_of_scope: rows.filter(({ workflow_id }) => workflow_id === null).length,
  });
  return {
    schema_version: 1,
    ...identity,
    disjoint_by: drawnSplit,
    fractions: { fit: 0, tune: 0.5, certify: 0.5, eval: 0 },
    folds: { fit: fold([]), tune: fold(examples), certify: fold(tests), eval: fold([]) },
    families: [],
    near_copies: [],
  };
}
