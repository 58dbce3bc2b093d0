import { leftOutOf, leftOutParts, scoresLeftOut } from "../../datasets/left-out.js";
import { Bm25Retriever } from "../../eval/baselines/bm25.js";
import { compareAnswers } from "../../eval/baselines/compare-answers.js";
import { answerOfRecord, answerOfRetriever, type RankedAnswer } from "../../eval/baselines/ranked-answer.js";
import {
  calibratorOfRequest,
  clusterOfRecord,
  type EvaluatedThresholds,
} from "../../eval/metrics/evaluated-thresholds.js";
import type { RecordOutcome } from "../../eval/metrics/outcome-columns.js";
import { type DecidedRequest, decideRequests } from "../../eval/requests/decided-request.js";
import { confusionPairs } from "../../eval/requests/error-groups.js";
import { shownFold } from "../../eval/shown-fold.js";
import type { ReportedRequest } from "../../reports/reported-request.js";
import { buildReportModel, type ReportModel } from "../../reports/view-model.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { shortId } from "../../src/base/text.js";
import type { BaselineComparison } from "../../src/documents/baseline.js";
import type { Calibration } from "../../src/documents/calibration.js";
import type { Fold } from "../../src/documents/choices.js";
import type { Run, ScoredRecord } from "../../src/documents/scored-record.js";
import { applyCalibration, matchLogit } from "../../src/router/policy/apply-calibration.js";
import { decide } from "../../src/router/policy/decide.js";
import { activeWorkflows } from "../../src/router/policy/eligibility.js";
import { shortlist } from "../../src/router/policy/shortlist.js";
import type { History } from "../../store/history/open.js";
import { listEntries } from "../../store/history/read.js";
import {
  isImported,
  readCalibration,
  readCatalog,
  readDataset,
  readRun,
  readScoredRecords,
  readSplit,
  type Stored,
} from "../../store/records/read-records.js";
import { type Leaderboard, leaderboards } from "../runs.js";
import { evaluationOf } from "../evaluate.js";
import {
  type ChosenThresholds,
  decidedBy,
  type MeasurableRun,
  readAnyRun,
  requireThresholdsOf,
  textsOfRun,
  thresholdsFor,
} from "../evaluate/measurable-run.js";

export interface BuildReportOptions {
  readonly runId?: string | undefined;
  readonly calibrationId?: string | undefined;
  /** Default "eval". Other folds are weaker evidence, which the report notes. */
  readonly fold?: Fold | "all";
  /** Whether the explorer shows request texts. Default false. */
  readonly withTexts?: boolean;
  /** Confidence threshold in [0, 1] for every tier, instead of a calibration. */
  readonly minConfidence?: number | undefined;
}

interface ReportSubject {
  readonly run: Omit<MeasurableRun, "records">;
  readonly calibration: Stored<Calibration> | null;
}

/** A report and its evaluation, both unsaved. */
export interface BuiltReport extends ReportSubject {
  readonly evaluationBytes: Buffer;
  readonly model: ReportModel;
}

/**
 * Builds the report of one fold of a run from stored records, compared with BM25. Imported predictions are
 * compared with the other systems that answered the same requests. Saves nothing.
 * @throws {SluiceError} RECORD_NOT_FOUND, CALIBRATION_INVALID (different identities)
 */
export async function buildReport(history: History, options: BuildReportOptions): Promise<BuiltReport> {
  const { run, calibration } = subjectOf(history, options);
  const records = readScoredRecords(history, run);
  const fold = shownFold(records, options.fold ?? "eval");
  const { minConfidence } = options;
  const chosen = chosenThresholds(history, { run, calibration }, minConfidence);
  const thresholds = chosen?.document ?? null;
  const { document: ran } = run;
  const { bytes, document } = evaluationOf({ run, records, calibration: chosen, fold });
  const decided = decideRequests(records, { thresholds, topK: ran.top_k, fold });
  const signed = calibration?.document ?? null;
  const model = buildReportModel({
    evaluation: document,
    calibration: signed,
    minConfidence,
    ...(await companyOf(history, { run, records, fold, thresholds })),
    lineage: lineageOf(sha256Hex(bytes), run, calibration),
    confusions: confusionPairs(decided),
    requests: reportedRequests(decided, {
      thresholds,
      calibration: signed,
      texts: textsOf(history, run, options),
    }),
    generatedFor: signed?.calibration_version ?? withoutCalibration(run, minConfidence),
  });
  return { run, calibration, evaluationBytes: bytes, model };
}

function chosenThresholds(
  history: History,
  { run, calibration }: ReportSubject,
  threshold: number | undefined,
): ChosenThresholds | null {
  if (threshold !== undefined) return thresholdsFor(history, run, { threshold });
  return calibration === null ? null : decidedBy(history, calibration, run);
}

interface CompanyQuestion {
  readonly run: ReportSubject["run"];
  readonly records: readonly ScoredRecord[];
  readonly fold: Fold | "all";
  readonly thresholds: EvaluatedThresholds | null;
}

/** What a run is compared with: BM25 over its catalog, or for imported predictions other systems. */
async function companyOf(history: History, { run: { sha256, document }, ...options }: CompanyQuestion) {
  if (isImported(document)) return { leaderboard: boardOf(history, sha256) };
  return {
    catalog: readCatalog(history, document.catalog_sha256).document,
    baseline: await baselineOfRun(history, { document, ...options }),
  };
}

function withoutCalibration({ sha256, document }: ReportSubject["run"], minConfidence: number | undefined): string {
  const system = isImported(document) ? `${document.model_version}, imported run` : "run";
  const decides = minConfidence === undefined ? "no calibration" : `routes at confidence ${minConfidence} or more`;
  return `${system} ${shortId(sha256)}, ${decides}`;
}

const boardOf = (history: History, run: string): Leaderboard | undefined =>
  leaderboards(history).find(({ systems }) => systems.some(({ run_id: runId }) => runId === run));

function subjectOf(history: History, { runId, calibrationId, minConfidence }: BuildReportOptions): ReportSubject {
  const named = runId === undefined ? undefined : readAnyRun(history, runId);
  if (calibrationId !== undefined) {
    const calibration = readCalibration(history, calibrationId);
    const run = named ?? readRun(history, calibration.document.digests.run);
    return { run, calibration: requireThresholdsOf(history, calibration, run) };
  }
  if (minConfidence !== undefined) return { run: named ?? readAnyRun(history), calibration: null };
  if (named !== undefined && isImported(named.document)) return { run: named, calibration: null };
  return latestSubject(history, named);
}

/** The latest calibration of a run, or of any run if none is specified. */
function latestSubject(history: History, named: ReportSubject["run"] | undefined): ReportSubject {
  const calibration = listEntries(history, { kind: "calibration" })
    .map(({ sha256 }) => readCalibration(history, sha256))
    .findLast(({ document }) => named === undefined || document.digests.run === named.sha256);
  if (calibration === undefined) return { run: named ?? readRun(history), calibration: null };
  return { run: named ?? readRun(history, calibration.document.digests.run), calibration };
}

function textsOf(history: History, run: ReportSubject["run"], { withTexts = false }: BuildReportOptions) {
  return withTexts ? textsOfRun(history, run) : null;
}

function lineageOf(
  evaluation: string,
  { sha256, document }: ReportSubject["run"],
  calibration: Stored<Calibration> | null,
) {
  const {
    dataset_sha256: dataset,
    split_sha256: split,
    catalog_sha256: catalog,
  } = isImported(document) ? { dataset_sha256: null, split_sha256: null, catalog_sha256: null } : document;
  return { evaluation, run: sha256, calibration: calibration?.sha256 ?? null, dataset, split, catalog };
}

const namedCandidates = 3;

interface ReportedRequestOptions {
  readonly thresholds: EvaluatedThresholds | null;
  readonly calibration: Calibration | null;
  /** Texts by id; null: the report contains no texts. */
  readonly texts: ReadonlyMap<string, string> | null;
}

/** Converts scored requests for the report, in the same order. */
function reportedRequests(
  requests: readonly DecidedRequest[],
  { thresholds, calibration, texts }: ReportedRequestOptions,
): readonly ReportedRequest[] {
  return requests.flatMap(({ record, outcome, bucket }) => {
    if (outcome === null) return [];
    const ranked = applyCalibration(calibratorOfRequest(thresholds, record.id), record.candidates);
    return [
      {
        id: record.id,
        population: record.population,
        rightWorkflowId: record.workflow_id,
        ...firstOf(outcome),
        firstIsRight: outcome.topIsRight,
        routed: outcome.decision?.decision === "ROUTE",
        routable: isRoutable(outcome, thresholds),
        reason: outcome.decision?.reason_code ?? null,
        bucket,
        ...listedOf(record, calibration),
        ...(texts === null ? {} : { text: texts.get(record.id) ?? "" }),
        candidates: ranked.slice(0, namedCandidates).map((candidate) => ({
          workflowId: candidate.workflow_id,
          odds: Math.min(1, Math.exp(matchLogit(candidate.logits) - matchLogit((ranked[0] ?? candidate).logits))),
        })),
      },
    ];
  });
}

function listedOf(record: ScoredRecord, calibration: Calibration | null): Pick<ReportedRequest, "shortlist"> {
  if (calibration?.shortlist?.certified !== true) return {};
  const workflows = record.early_reason === null ? shortlist(record, calibration).workflows : [];
  return {
    shortlist: {
      length: workflows.length,
      hasRight: workflows.some(({ workflow_id: workflowId }) => workflowId === record.workflow_id),
    },
  };
}

function firstOf({ top }: RecordOutcome): Pick<ReportedRequest, "tier" | "confidence"> {
  return top === null ? { tier: null, confidence: 0 } : { tier: top.risk_tier, confidence: top.confidence };
}

/** Whether the request would be routed with a threshold of 0 for its tier. */
function isRoutable({ record, top }: RecordOutcome, thresholds: EvaluatedThresholds | null): boolean {
  if (top === null || record.early_reason !== null) return false;
  if (thresholds === null) return true;
  const tiers = { ...thresholds.tiers, [top.risk_tier]: { ...thresholds.tiers[top.risk_tier], confidence: 0 } };
  return decide(record, { ...thresholds, tiers }).decision === "ROUTE";
}

interface BaselineOptions {
  readonly document: Run;
  readonly records: readonly ScoredRecord[];
  readonly fold: Fold | "all";
  /** Determine the confidence by which the run's answers are ranked. */
  readonly thresholds: EvaluatedThresholds | null;
}

/**
 * Ranks the texts of one fold with BM25 and compares the run with it; null without a scored request. Where the run scored
 * a text without the catalog examples of its family, so does BM25.
 */
async function baselineOfRun(history: History, options: BaselineOptions): Promise<BaselineComparison | null> {
  const { document, thresholds, fold } = options;
  const records = options.records
    .filter((record) => record.error_code === null && (fold === "all" || record.fold === fold))
    .map((record) => ({ ...record, cluster: clusterOfRecord(thresholds, record) }));
  if (records.length === 0) return null;
  const rows = readDataset(history, document.dataset_sha256).document;
  const requests = new Map(rows.map((row) => [row.id, row]));
  const split = readSplit(history, document.split_sha256).document;
  const catalog = readCatalog(history, document.catalog_sha256).document;
  const parts = scoresLeftOut(split)
    ? leftOutParts(rows, catalog, leftOutOf(split))
    : [{ rows: new Set(requests.keys()), catalog }];
  const answers: RankedAnswer[] = [];
  for (const part of parts) {
    const bm25 = new Bm25Retriever(activeWorkflows(part.catalog));
    for (const record of records.filter(({ id }) => part.rows.has(id))) {
      answers.push(await answerOfRetriever(bm25, record, requests.get(record.id) ?? { text: "" }));
    }
  }
  const own = records.map((record) => answerOfRecord(record, calibratorOfRequest(thresholds, record.id)));
  return compareAnswers(own, answers, { baseline: "BM25" });
}
