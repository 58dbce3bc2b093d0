import { ruleOfDraws } from "../../calibrate/fit-calibration.js";
import type { RiskTest } from "../../calibrate/claim-reading.js";
import type { FitChoices } from "../../calibrate/procedure.js";
import { type OpenGates, type RoutableRow, routableRows } from "../../calibrate/routable.js";
import { sequentialTest } from "../../calibrate/sequential-test.js";
import { textKey } from "../../datasets/near-duplicates.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { halvesOf, keyedOrder } from "../../datasets/labelling/halves.js";
import type { DrawPlan } from "../../datasets/labelling/label-records.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { replaceFile } from "../../src/base/files.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { Run } from "../../src/documents/scored-record.js";
import { counted } from "../../src/documents/number-text.js";
import { modelFolder } from "../project/model-folder.js";
import { recordsOfRun } from "../fit/background-source.js";
import { fittedOn } from "../fit/stored-input.js";
import { saveDataset } from "../import/save-dataset.js";
import { scoreOverRun, scoreRun } from "../score/score-run.js";
import { withExamples } from "../catalog/edit-catalog.js";
import { groupBy } from "../../src/base/group-by.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { inTransaction } from "../../store/history/write.js";
import { readRun, type Stored } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { exampleRows, type Labelling, readLabelling, splitOfDraws, testProgress } from "./labelling.js";

/** Share of the log that the threshold routes. */
const routedShare = 0.55;

/**
 * Shares of delta of the two tests of a log, what they leave spent, and their largest numbers of draws times the target.
 */
const stages = {
  1: { share: 0.8, before: 0, most: 11 },
  2: { share: 0.2, before: 0.8, most: 20 },
} as const;

/** The table of a test. @param most  number of requests to draw from */
function tableOf(stage: DrawPlan["stage"], { target, delta }: RiskTest, most = Number.POSITIVE_INFINITY) {
  const { share, most: planned } = stages[stage];
  return sequentialTest({ target, delta: share * delta }, Math.min(Math.round(planned / target), most)).stops;
}

/** Smallest number of requests, routed or not, from which the routes of a test that can sign are drawn. */
export const smallestHalf = (stage: DrawPlan["stage"], test: RiskTest): number =>
  Math.ceil((tableOf(stage, test)[0] ?? 0) / routedShare);

/** Smallest number of requests of a log on which a first test can sign. */
export const smallestLog = (test: RiskTest): number => 2 * smallestHalf(1, test) + 2;

/** Largest catalog for which the size of a test of random rows is known; see docs/tutorials/from-a-log.md. */
const smallCatalog = 12;

/** The two roads to a claim, and the one that suits the size of the catalog and the log. */
export function roadsText(sizes: { readonly workflows: number; readonly requests: number }, test: RiskTest): string {
  const wholeTest = 2 * Math.ceil((tableOf(1, test).at(-1) ?? 0) / routedShare);
  const isRandom = sizes.workflows <= smallCatalog && sizes.requests < wholeTest;
  return (
    "On this page you label requests that teach the router, then routes drawn at random; half of the log is routed. " +
    "The alternative is to fix a number in advance, such as 160 for 12 workflows, draw that many requests at random, and run init on them with their labels; more is routed. " +
    `For ${counted(sizes.workflows, "workflow")} and a log of ${counted(sizes.requests, "request")}, ${isRandom ? "the alternative" : "this page"} is recommended.`
  );
}

export const labelledTest = ({ claim: { target, confidence } }: ProjectFile): RiskTest => ({
  target: target === "auto" ? defaultTarget : target,
  delta: Number((1 - confidence).toPrecision(12)),
});

/** A stricter one takes twice the clicks or more. */
const defaultTarget = 0.1;

/** Options with which the calibrator of a drawn test is learned and its claim is tested. */
export const drawnFit = (target: number): FitChoices => ({
  target_risk: target,
  claim: "fixed-catalog",
  cross_fit: 1,
  looser_targets: [],
  start_errors: [0],
  left_out: true,
});

interface PlanTestOptions {
  readonly project: ProjectFile;
  readonly labelling: Labelling;
  readonly catalog: Uint8Array;
  readonly workers: number;
}

/**
 * Freezes the router and plans a test: adds the examples to the catalog, learns the calibrator from them, sets the
 * threshold on the test half without labels, and draws. Nothing of the plan depends on a label of the test half.
 * @returns false if too few routed requests are left for a second test
 * @throws {SluiceError} DOCUMENT_INVALID  the log has too few requests; FIT_FAILED; and the errors of scoring
 */
export async function planTest(session: Session, options: PlanTestOptions): Promise<boolean> {
  const { project, labelling } = options;
  const stage = labelling.plans.length === 0 ? 1 : 2;
  const frozen = await freezeRouter(session, stage, options);
  const drawn = await drawRoutes(session, stage, { ...options, ...frozen });
  if (drawn === null) return false;
  const test = labelledTest(project);
  const { share, before } = stages[stage];
  const plan: DrawPlan = {
    schema_version: 1,
    log_sha256: labelling.log.sha256,
    stage,
    catalog_sha256: frozen.run.document.catalog_sha256,
    run_sha256: frozen.run.sha256,
    seed: project.seed,
    target_risk: test.target,
    delta: share * test.delta,
    spent: before * test.delta,
    ...drawn,
  };
  // A test whose plan is saved has its catalog.
  await replaceFile(project.catalog, frozen.bytes, 0o644);
  inTransaction(session.history, () => {
    // Somebody who labels the log at the same time may have clicked meanwhile; the test is then planned again.
    const { clicks } = readLabelling(session.history, labelling.log, project.seed);
    if (clicks === labelling.clicks) saveRecord(session, "draw", canonicalBytes(plan));
  });
  return true;
}

/** The catalog with the examples, the run over them, and the rule that is learned from it. */
async function freezeRouter(
  session: Session,
  stage: DrawPlan["stage"],
  { project, labelling, catalog, workers }: PlanTestOptions,
) {
  const examples = exampleRows(labelling, stage);
  const { bytes } = withExamples(catalog, examples);
  const { sha256: catalog_sha256 } = saveRecord(session, "catalog", bytes);
  const provenance = { format: "clicks", log: labelling.log.sha256 };
  const { sha256: dataset_sha256 } = saveDataset(session, examples, provenance);
  const split = splitOfDraws({ dataset_sha256, catalog_sha256, seed: project.seed, examples, tests: [] });
  const { run: runId } = await scoreRun(session, {
    splitId: saveRecord(session, "split", canonicalBytes(split)).sha256,
    retriever: { kind: "file", path: modelFolder(project, "retriever") },
    verifier: { kind: "file", path: modelFolder(project, "verifier") },
    workers,
    maxErrorShare: 0.01,
  });
  const run = readRun(session.history, runId);
  const records = recordsOfRun(session.history, run);
  const { target } = labelledTest(project);
  const { languages } = project.claim;
  const rule = ruleOfDraws({ ...drawnFit(target), languages, records, digests: fittedOn(run), version: "frozen" });
  return { bytes, run, rule };
}

interface DrawRoutesOptions extends PlanTestOptions {
  readonly run: Stored<Run>;
  readonly rule: OpenGates;
}

/**
 * The threshold, the table and the draws of a test; null if too few routed requests are left for a second one.
 * @throws {SluiceError} DOCUMENT_INVALID  too few for a first one
 */
async function drawRoutes(
  session: Session,
  stage: DrawPlan["stage"],
  { project, labelling, catalog, run, rule, workers }: DrawRoutesOptions,
): Promise<Pick<DrawPlan, "threshold" | "routed_share" | "stops" | "draws"> | null> {
  const { seed } = project;
  const { log, plans } = labelling;
  const drawnBefore = new Set(
    plans.flatMap(({ document }) => testProgress(labelling, document).judged.map(({ row }) => row)),
  );
  const known = otherExamples(catalog, exampleRows(labelling, stage));
  const rows = halvesOf(log.rows, seed).test.filter(
    ({ id, text }) => !drawnBefore.has(id) && !known.has(textKey(text)),
  );
  const routes = await routesOf(session, run, { rows, rule, workers });
  const threshold = thresholdFor(rows, routes);
  const routed = rows.flatMap(({ id }) => {
    const { confidence = 0, routed: workflow = null } = routes.get(id) ?? {};
    return confidence < threshold || workflow === null ? [] : [{ id, workflow }];
  });
  const test = labelledTest(project);
  const stops = tableOf(stage, test, routed.length);
  if (stops.length === 0 && stage === 2) return null;
  if (stops.length === 0) {
    throw new SluiceError(
      "DOCUMENT_INVALID",
      `the log has ${counted(routed.length, "routed request")} to draw from, expected at least ${tableOf(stage, test)[0]}`,
      { hint: say`Use a longer log: ${command`sluice init catalog.yaml --log FILE`}` },
    );
  }
  const order = keyedOrder(routed, { seed, purpose: `test ${stage}` }).slice(0, stops.at(-1));
  return {
    threshold,
    routed_share: routed.length / rows.length,
    stops,
    draws: order.map(({ id, workflow }) => ({ row: id, routed: workflow })),
  };
}

/** Texts of the catalog's examples that were not chosen from this log. */
function otherExamples(catalog: Uint8Array, chosen: readonly LabelledRequest[]): ReadonlySet<string> {
  const own = new Set(chosen.map(({ text }) => textKey(text)));
  const { workflows } = parseCatalog(catalog, "the catalog");
  const texts = workflows.flatMap(({ examples }) => examples.map(textKey));
  return new Set(texts.filter((text) => !own.has(text)));
}

/** The routable rows of a log under a rule, by id; a text that occurs often is scored once. */
async function routesOf(
  session: Session,
  run: Stored<Run>,
  { rows, rule, workers }: Pick<DrawRoutesOptions, "rule" | "workers"> & { readonly rows: readonly LabelledRequest[] },
): Promise<ReadonlyMap<string, RoutableRow>> {
  const byText = groupBy(rows, ({ text }) => text);
  const distinct = [...byText.values()].flatMap(([first]) => first ?? []);
  const foldOf = new Map(distinct.map(({ id }) => [`row:${id}`, "certify" as const]));
  const records = await scoreOverRun(session, run, { rows: distinct, foldOf, workers });
  const textOf = new Map(distinct.map(({ id, text }) => [id, text]));
  return new Map(
    routableRows(records, rule).flatMap((route) => {
      const same = byText.get(textOf.get(route.request?.id ?? "") ?? "") ?? [];
      return same.map(({ id }) => [id, route] as const);
    }),
  );
}

/** The threshold that routes the share of the rows. */
function thresholdFor(rows: readonly LabelledRequest[], routes: ReadonlyMap<string, RoutableRow>): number {
  const sorted = rows.map(({ id }) => routes.get(id)?.confidence ?? 0).sort((a, b) => b - a);
  return Math.max(smallestThreshold, sorted[Math.ceil(routedShare * sorted.length) - 1] ?? 1);
}

/** A threshold of 0 would route what no workflow fits. */
const smallestThreshold = 0.001;
