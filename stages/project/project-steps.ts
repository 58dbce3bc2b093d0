import { counted, formatCount, formatPercent } from "../../src/documents/number-text.js";
import { everyTextShares, usesEveryText, measuringShares } from "../../datasets/every-text.js";
import { drawnSplit, leftOutSplit } from "../../datasets/split-by-request.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { kinOfRows, type Split } from "../../src/documents/split.js";
import { isTestedIn } from "../../datasets/left-out.js";
import { defaultProcedure } from "../../calibrate/procedure.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import type { PlannedClaim } from "../../src/documents/calibration-plan.js";
import { type ClaimKind, type HistoryKind, projectFileName } from "../../src/documents/choices.js";
import type { Claim, DrawnRoutes } from "../../src/documents/calibration.js";
import { fitThresholds } from "../fit/fit-thresholds.js";
import { saveAudit, settledAudit } from "../../store/records/save-audit.js";
import { saveSplit, saveDataset } from "../import/save-dataset.js";
import { withCallerLists } from "../import/caller-lists.js";
import { alikeOf } from "../split.js";
import { scoreRun } from "../score/score-run.js";
import { findEntry } from "../../store/history/read.js";
import { scoreRunOverQueue } from "../score/queue/score-over-queue.js";
import { readAudit, readCatalog, readDataset, readSplit, readRun } from "../../store/records/read-records.js";
import { shortId } from "../../src/base/text.js";
import { type Session, saveRecord } from "../../store/records/session.js";
import { saveReport } from "../report/page-file.js";
import { toolVersion } from "../../src/base/package-facts.js";
import { modelDigests, modelFolder } from "./model-folder.js";
import { shippedBy } from "../../store/shipped-models.js";
import type { ProjectFile } from "../../store/project/project-file.js";
import { auditedRows, auditText, type ReleaseChoices, releaseStep } from "./release-step.js";
import type { FinishedStep, ProjectStep } from "./run-steps.js";
import { drawnRoutesOf, readLabelling, readLog } from "../label/labelling.js";
import { drawnFit } from "../label/plan-test.js";
import { readDrawnProject, refuseDrawn, saveDrawnSplit } from "../label/drawn-project.js";
import { type Made, madeOf } from "./step-state.js";
import { missingText, plannedShareText } from "../../reports/text/plan-text.js";
import { planClaimsOfRun } from "../plan.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { defaultWorkers } from "../choices.js";
import { SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";

const claimOf: Readonly<Record<ProjectFile["claim"]["population"], ClaimKind>> = {
  this_catalog: "fixed-catalog",
  new_workflows: "new-workflows",
};

/**
 * The steps of a project with their inputs. Records are written to the history of the session; equal inputs give equal
 * records.
 * @param release  adds the signature of the producer
 * @param accept  reason for which a release that is under way accepts the findings of the audit
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED  a file of the project cannot be read
 */
export async function projectSteps(
  session: Session,
  project: ProjectFile,
  { release, accept }: { readonly release?: ReleaseChoices | undefined; readonly accept?: string | undefined } = {},
): Promise<readonly ProjectStep[]> {
  const files = await readProjectFiles(project);
  const models = await modelDigests(project);
  const drawn = await drawnTestIn(session, project);
  return [
    importStep(session, files, project.log !== undefined),
    {
      name: "split",
      inputs: (made) => ({
        catalog: made.catalog,
        dataset: made.dataset,
        seed: project.seed,
        population: project.claim.population,
        log: project.log,
        generated_texts: project.generated_texts === true,
      }),
      present: ({ split }) => isThere(session, "split", split),
      run: async (made) => splitRows(session, project, made),
    },
    {
      name: "audit",
      inputs: ({ split }) => split,
      present: ({ audit }) => isThere(session, "audit", audit),
      describe: ({ audit }) => auditWords(session, audit, accept),
      run: async (made) => auditRows(session, made, accept),
    },
    scoreStep(session, project, models),
    planTargets(session, project, drawn?.target),
    calibrateStep(session, project, { drawn: drawn?.routes, followUps: files.followUps }),
    reportStep(session),
    ...(release === undefined ? [] : [releaseStep(session, release)]),
  ];
}

function isThere({ history }: Session, kind: HistoryKind, id: Sha256 | undefined): boolean {
  return id !== undefined && findEntry(history, kind, id) !== undefined;
}

function importStep(session: Session, files: ProjectFiles, isLogged: boolean): ProjectStep {
  const digests = {
    catalog: sha256Hex(files.catalog.bytes),
    requests: sha256Hex(files.requests.bytes),
    grants: files.grants && sha256Hex(files.grants.bytes),
  };
  return {
    name: "import",
    inputs: () => ({ digests, tool: toolVersion() }),
    // A project without requests has no dataset.
    present: ({ dataset, catalog }) =>
      isThere(session, "catalog", catalog) && (dataset === undefined || isThere(session, "dataset", dataset)),
    run: async () => importFiles(session, files, isLogged),
  };
}

function scoreStep(session: Session, project: ProjectFile, models: unknown): ProjectStep {
  return {
    name: "score",
    inputs: (made) => ({ split: made.split, models, tool: toolVersion() }),
    present: ({ run }) => isThere(session, "run", run),
    run: async (made) => {
      const asked = {
        splitId: madeOf(made, "split"),
        retriever: { kind: "file", path: modelFolder(project, "retriever") },
        verifier: { kind: "file", path: modelFolder(project, "verifier") },
        maxErrorShare: 0.01,
      } as const;
      const { queue: settings } = project;
      const { run: runId, document: run } =
        settings === undefined
          ? await scoreRun(session, { ...asked, workers: defaultWorkers })
          : await scoreRunOverQueue(session, { ...asked, settings, onNote: () => undefined });
      return { made: { run: runId }, summary: `${counted(run.requests, "request")} scored` };
    },
  };
}

/** A project's claim in the form of the plan and the calibration. */
const claimSettings = ({ claim: { population, confidence } }: ProjectFile) => ({
  claim: claimOf[population],
  delta: roundedComplement(confidence),
});

/**
 * Determines the target of a project, and estimates from FIT and TUNE how likely it is to certify and what would help.
 */
function planTargets(session: Session, project: ProjectFile, drawn: number | undefined): ProjectStep {
  const target = drawn ?? project.claim.target;
  const { seed } = project;
  const settings = claimSettings(project);
  const { history } = session;
  return {
    name: "plan",
    inputs: ({ run }) => ({ run, ...settings, target, seed, tool: toolVersion() }),
    present: () => true,
    run: async (made) => {
      const runId = madeOf(made, "run");
      const planned = target === "auto" ? defaultProcedure.target_risk : target;
      const { disjoint_by: by } = readSplit(history, readRun(history, runId).document.split_sha256).document;
      // A plan simulates one claim about all requests.
      if (by === leftOutSplit || by === drawnSplit || project.claim.require_slices !== undefined) {
        const ofLog = `at most ${formatPercent(planned)} wrong, by the plan of the test`;
        return { made: { target: planned }, summary: by === drawnSplit ? ofLog : plannedText(planned) };
      }
      const plan = { claims: [settings.claim], targets: [planned], delta: settings.delta, seed, samples };
      const [claimed] = await planClaimsOfRun(session, runId, plan);
      if (claimed === undefined) return { made: {}, summary: "nothing is planned" };
      return { made: { target: planned }, summary: summaryOf(claimed, planned) };
    },
  };
}

/** The test of a log, with the second opinions so far; undefined without a planned test. */
async function drawnTestIn({ history }: Pick<Session, "history">, { log, seed }: ProjectFile) {
  if (log === undefined) return undefined;
  const labelling = readLabelling(history, await readLog(log), seed);
  const plan = labelling.plans.at(-1);
  if (plan === undefined) return undefined;
  return { routes: drawnRoutesOf(labelling, plan), target: plan.document.target_risk };
}

function calibrateStep(
  session: Session,
  project: ProjectFile,
  { drawn, followUps }: { readonly drawn: DrawnRoutes | undefined; readonly followUps: ReadFile | undefined },
): ProjectStep {
  const settings = claimSettings(project);
  const { require_tiers: required_tiers, require_slices, languages } = project.claim;
  const rules =
    drawn === undefined ? { required_tiers, require_slices, languages } : { languages, drawn_routes: drawn };
  return {
    name: "calibrate",
    inputs: (made) => ({
      run: made.run,
      target: made.target,
      ...settings,
      ...rules,
      follow_ups: followUps && sha256Hex(followUps.bytes),
      tool: toolVersion(),
    }),
    present: ({ calibration }) => isThere(session, "calibration", calibration),
    run: async (made) => {
      const runId = madeOf(made, "run");
      const target = madeOf(made, "target");
      const version = `${project.name}-${shortId(runId)}`;
      const { calibration } = await fitThresholds(session, {
        run: runId,
        target_risk: target,
        version,
        ...settings,
        ...rules,
        followUps: followUps?.path,
        ...(drawn === undefined ? {} : { ...drawnFit(target), background: "none", attempts: "single" }),
      });
      const [first] = calibration.document.claims;
      return {
        made: { calibration: calibration.sha256 },
        summary: first === undefined ? "nothing is claimed" : inShort(first),
      };
    },
  };
}

function reportStep(session: Session): ProjectStep {
  return {
    name: "report",
    inputs: ({ calibration }) => calibration,
    present: () => true,
    run: async (made) => {
      const file = session.context.workspace.report;
      const { reportId } = await saveReport(session, { calibrationId: madeOf(made, "calibration"), file });
      return { made: { report: reportId }, summary: "evaluation report written" };
    },
  };
}

function inShort({ certified, target_risk, errors, routed }: Claim): string {
  return certified
    ? `certified: at most ${formatPercent(target_risk)} wrong; ${errors} wrong of ${routed} routed`
    : "no claim is certified yet, so nothing is routed";
}

/** 1 - confidence without floating-point noise, e.g. 0.05 for 0.95. */
const roundedComplement = (confidence: number): number => Number((1 - confidence).toPrecision(12));

/** Describes the use of previously tested rows. */
function historyText({ retained = 0, wrong_before: wrong = 0, withdrawn = [], merged = [] }: Split): string {
  return [
    ...(retained === 0
      ? []
      : [
          `; ${counted(
            retained,
            "text was tested before and then removed or relabelled; it remains a test row",
            "texts were tested before and then removed or relabelled; they remain test rows",
          )}`,
        ]),
    ...(wrong === 0
      ? []
      : [
          `; ${counted(wrong, "text was", "texts were")} routed wrongly before and ${wrong === 1 ? "counts" : "count"} as wrong above the threshold`,
        ]),
    ...merged.map(({ from, into }) => `; ${from} was merged into ${into}`),
    ...(withdrawn.length === 0 ? [] : [`; ${counted(withdrawn.length, "label is", "labels are")} withdrawn`]),
  ].join("");
}

/**
 * Whether each text is both an example and a test request. This requires a claim about one catalog and models that were
 * not fitted on the texts.
 */
const isEveryText = ({ claim, models }: ProjectFile, rows: readonly LabelledRequest[], catalog: Catalog): boolean =>
  claim.population === "this_catalog" &&
  shippedBy(models.retriever) !== undefined &&
  shippedBy(models.verifier) !== undefined &&
  usesEveryText(rows, catalog);

async function splitRows(session: Session, project: ProjectFile, made: Made): Promise<FinishedStep> {
  const catalog = readCatalog(session.history, madeOf(made, "catalog"));
  const dataset = readDataset(session.history, madeOf(made, "dataset"));
  if (project.log !== undefined) {
    const drawn = await readDrawnProject(session, { log: project.log, seed: project.seed });
    const files = { dataset_sha256: dataset.sha256, catalog_sha256: catalog.sha256 };
    const { splitId, split } = saveDrawnSplit(session, drawn, files);
    const { tune, certify } = split.folds;
    return {
      made: { split: splitId },
      summary: `${counted(certify.requests, "drawn route")}; ${counted(tune.requests, "example")}`,
    };
  }
  refuseDrawn(session, dataset.document);
  const everyText = isEveryText(project, dataset.document, catalog.document);
  const { split: splitId, document: split } = await saveSplit(session, {
    alikeOf: project.generated_texts === true ? alikeOf(session.context, modelFolder(project, "retriever")) : undefined,
    dataset: { sha256: dataset.sha256, rows: dataset.document },
    catalog,
    seed: project.seed,
    fractions: everyText ? everyTextShares(dataset.document.length) : measuringShares,
    by: everyText ? leftOutSplit : project.claim.population === "this_catalog" ? "request" : "workflow",
  });
  const { certify, tune, eval: held } = split.folds;
  const once = countedOnce(split, readDataset(session.history, split.dataset_sha256).document);
  const tested = tune.requests + certify.requests;
  const count =
    project.claim.population === "this_catalog" && once < tested
      ? `; ${formatCount(once)} if near-copies count once`
      : "";
  const twice = everyText ? ", each scored without its near-copies as examples" : "";
  const rest = held.requests === 0 ? "none is held out" : `${held.requests} are held out`;
  return {
    made: { split: splitId },
    summary: `${counted(tested, "certification request")}${twice}${count}; ${rest}${historyText(split)}`,
  };
}

/** Number of requests in TUNE and CERTIFY, near-copies counted as one. */
function countedOnce(split: Split, rows: readonly LabelledRequest[]): number {
  const kin = kinOfRows(split);
  return new Set(rows.filter(isTestedIn(split)).map(({ id }) => kin.get(id)?.near_copy ?? `row ${id}`)).size;
}

/** Audits the rows. Findings do not stop a project, but must be accepted before a release. */
async function auditRows(session: Session, made: Made, accept: string | undefined): Promise<FinishedStep> {
  const { auditId: audit } = saveAudit(session, auditedRows(session.history, made));
  return { made: { audit }, summary: auditWords(session, audit, accept) };
}

function auditWords({ history }: Session, id: string | undefined, accept: string | undefined): string {
  return auditText(settledAudit(history, readAudit(history, id).document), accept);
}

/** Number of simulated certifications per probability. */
const samples = 100;

function plannedText(target: number): string {
  const planned = `planned: at most ${formatPercent(target)} wrong`;
  const [loosest] = defaultProcedure.looser_targets.filter((looser) => looser > target);
  return loosest === undefined
    ? planned
    : `${planned}; targets from ${formatPercent(loosest)} down are tested in turn, and the strictest that passes is certified`;
}

function summaryOf(claim: PlannedClaim, target: number): string {
  const planned = plannedText(target);
  if (claim.unknown !== null) return `${planned}. ${claim.unknown}`;
  const chosen = claim.targets.find((one) => one.target === target);
  const missing =
    chosen === undefined || chosen.missing.kind === "nothing" ? "" : `: ${missingText(chosen.missing, claim)}`;
  return `${planned}; ${formatPercent(target)} is certified with probability ${plannedShareText(chosen?.probability ?? 0)}${missing}`;
}

interface ReadFile {
  readonly path: string;
  readonly bytes: Buffer;
}

interface ProjectFiles {
  readonly catalog: ReadFile;
  readonly requests: ReadFile;
  readonly followUps: ReadFile | undefined;
  readonly grants: ReadFile | undefined;
}

async function readProjectFiles({
  catalog,
  requests,
  follow_ups: followUps,
  grants,
}: ProjectFile): Promise<ProjectFiles> {
  const read = async (path: string): Promise<ReadFile> => ({ path, bytes: await readInput(path) });
  return {
    catalog: await read(catalog),
    requests: await read(requests),
    followUps: followUps === undefined ? undefined : await read(followUps),
    grants: grants === undefined ? undefined : await read(grants),
  };
}

/**
 * Saves the catalog and requests of a project. A project without requests stops here: its catalog can be tried out, but
 * carries no claim.
 * @throws {SluiceError} errors of reading; DOCUMENT_INVALID  a request has a workflow that is not in the catalog
 */
function importFiles(session: Session, files: ProjectFiles, isLogged: boolean): FinishedStep {
  const { bytes } = files.catalog;
  const catalog = parseCatalog(bytes, files.catalog.path);
  const workflows = counted(catalog.workflows.length, "workflow");
  if (files.requests.bytes.toString("utf8").trim() === "") {
    saveRecord(session, "catalog", bytes);
    return {
      made: { catalog: catalog.sha256 },
      summary: `${workflows}, no requests`,
      stop: isLogged
        ? "no test of the log has ended: continue labelling"
        : `${files.requests.path} contains no labelled request: nothing can be measured, so no claim can be made`,
    };
  }
  const read = readJsonl(files.requests.bytes, files.requests.path);
  const rows = files.grants === undefined ? read : withCallerLists(read, files.grants);
  const known = new Set(catalog.workflows.map(({ workflow_id: workflowId }) => workflowId));
  const strange = rows.find(
    ({ workflow_id: workflowId, withdrawn }) =>
      workflowId !== null && withdrawn === undefined && !known.has(workflowId),
  );
  if (strange !== undefined) {
    throw new SluiceError(
      "DOCUMENT_INVALID",
      `${files.requests.path}: request ${strange.id} has the workflow ${strange.workflow_id}, which is missing from ${files.catalog.path}`,
      { hint: "Add the workflow to the catalog, or correct the request." },
    );
  }
  saveRecord(session, "catalog", bytes);
  const { sha256 } = saveDataset(session, rows, { format: "jsonl", project: projectFileName });
  const outOfScope = rows.filter(({ workflow_id: workflowId }) => workflowId === null).length;
  return {
    made: { dataset: sha256, catalog: catalog.sha256 },
    summary: `${workflows}, ${counted(rows.length, "request")}, ${outOfScope} out of scope`,
  };
}
