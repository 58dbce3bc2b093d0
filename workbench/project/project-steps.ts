import { counted } from "../../src/domain/number-text.js";
import { everyTextShares, usesEveryText } from "../../datasets/every-text.js";
import { leftOutSplit } from "../../datasets/split-by-request.js";
import type { Catalog } from "../../src/domain/catalog.js";
import type { SplitWire } from "../../src/domain/split.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import type { CalibratorFamily } from "../../src/domain/calibrator.js";
import type { PlannedClaimKind } from "../../calibrate/plan/calibration-plan.js";
import type { Claim } from "../../src/domain/calibration.js";
import type { HistoryKind } from "../history/history-kind.js";
import { fitThresholds } from "../calibration/fit-thresholds.js";
import { keepAudit } from "../data/keep-audit.js";
import { keepSplit } from "../data/keep-dataset.js";
import { scoreRun } from "../evaluation/score-run.js";
import { findEntry } from "../history/read.js";
import { scoreRunOverQueue } from "../queue/run-over-queue.js";
import { readCatalog, readDataset, readSplit } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import type { Stage } from "../records/stage.js";
import { keepReport } from "../reporting/keep-report.js";
import { toolVersion } from "../tool-version.js";
import { importFiles, type ProjectFiles, readProjectFiles } from "./import-files.js";
import { measuringShares } from "./measuring-shares.js";
import { modelDigests, modelFolder } from "./model-folder.js";
import { planStep } from "./plan-step.js";
import { shippedBy } from "../shipped-models.js";
import type { ProjectFile } from "./project-file.js";
import { auditWords, type ReleaseChoices, releaseStep } from "./release-step.js";
import type { FinishedStep, ProjectStep } from "./run-steps.js";
import { withCalibrator } from "./settled-calibrator.js";
import { idOf, outputOf, type StepOutputs } from "./step-state.js";

const claimOf: Readonly<Record<ProjectFile["claim"]["population"], PlannedClaimKind>> = {
  this_catalog: "fixed-catalog",
  new_workflows: "new-workflows",
};

/** Fixed in advance for the shipped models, so that no label influences it: see docs/adr/0014. */
const calibratorOf: Readonly<Record<PlannedClaimKind, CalibratorFamily>> = {
  "fixed-catalog": "catalog-evidence",
  "new-workflows": "verifier-evidence",
};

/**
 * The steps of a project, each with what it depends on. Records are written to the history of the stage; the same
 * inputs give the same records.
 * @param release  adds the signature of the producer
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED  a file that the project names cannot be read
 */
export async function projectSteps(
  stage: Stage,
  project: ProjectFile,
  release?: ReleaseChoices,
): Promise<readonly ProjectStep[]> {
  const files = await readProjectFiles(project);
  const models = await modelDigests(project);
  return [
    importStep(stage, files),
    {
      name: "split",
      inputs: (made) => ({ from: made["import"], seed: project.seed, population: project.claim.population }),
      present: ({ split }) => isThere(stage, "split", split),
      run: async (made) => splitRows(stage, project, made),
    },
    {
      name: "audit",
      inputs: (made) => made["split"],
      present: ({ audit }) => isThere(stage, "audit", audit),
      run: async (made) => auditRows(stage, made),
    },
    scoreStep(stage, project, models),
    planTargets(stage, project),
    calibrateStep(stage, project),
    reportStep(stage),
    ...(release === undefined ? [] : [releaseStep(stage, release)]),
  ];
}

function isThere({ history }: Stage, kind: HistoryKind, id: string | undefined): boolean {
  return id !== undefined && findEntry(history, kind, id as Sha256) !== undefined;
}

function importStep(stage: Stage, files: ProjectFiles): ProjectStep {
  const digests = { catalog: sha256Hex(files.catalog.bytes), requests: sha256Hex(files.requests.bytes) };
  return {
    name: "import",
    inputs: () => ({ digests, tool: toolVersion() }),
    // A project without requests has no dataset.
    present: ({ dataset, catalog }) =>
      isThere(stage, "catalog", catalog) && (dataset === undefined || isThere(stage, "dataset", dataset)),
    run: async () => importFiles(stage, files),
  };
}

function scoreStep(stage: Stage, project: ProjectFile, models: unknown): ProjectStep {
  return {
    name: "score",
    inputs: (made) => ({ from: made["split"], models, tool: toolVersion() }),
    present: ({ run }) => isThere(stage, "run", run),
    run: async (made) => {
      const asked = {
        splitId: idOf(made, "split", "split"),
        retriever: { kind: "file", path: modelFolder(project, "retriever") },
        verifier: { kind: "file", path: modelFolder(project, "verifier") },
        maxErrorShare: 0.01,
      } as const;
      const { queue: settings } = project;
      const { runId, run } =
        settings === undefined
          ? await scoreRun(stage, { ...asked, workers: 2 })
          : await scoreRunOverQueue(stage, { ...asked, settings, onNote: () => undefined });
      return { outputs: { run: runId }, summary: `${counted(run.requests, "request")} scored` };
    },
  };
}

/** A project's claim in the form of the plan and the calibration. */
function claimSettings({ claim: { population, confidence }, models }: ProjectFile) {
  const claim = claimOf[population];
  const calibrator = shippedBy(models.verifier) !== undefined ? { calibrator: calibratorOf[claim] } : {};
  return { claim, delta: roundedComplement(confidence), ...calibrator };
}

function planTargets(stage: Stage, project: ProjectFile): ProjectStep {
  const { target } = project.claim;
  const { seed } = project;
  const settings = claimSettings(project);
  return {
    name: "plan",
    inputs: (made) => ({ from: made["score"], ...settings, target, seed, tool: toolVersion() }),
    present: () => true,
    run: (made) => planStep(stage, { runId: idOf(made, "score", "run"), ...settings, target, seed }),
  };
}

function calibrateStep(stage: Stage, project: ProjectFile): ProjectStep {
  const settings = claimSettings(project);
  return {
    name: "calibrate",
    inputs: (made) => ({ from: made["score"], plan: made["plan"], ...settings, tool: toolVersion() }),
    present: ({ calibration }) => isThere(stage, "calibration", calibration),
    run: async (made) => {
      const { claim, delta } = settings;
      const runId = idOf(made, "score", "run");
      const target = Number(outputOf(made, "plan", "target"));
      const version = `${project.name}-${shortId(runId)}`;
      const { calibration } = await withCalibrator(settings, (calibrator) =>
        fitThresholds(stage, { runId, target, claim, delta, version, ...calibrator }),
      );
      const [first] = calibration.document.claims;
      return {
        outputs: { calibration: calibration.sha256 },
        summary: first === undefined ? "nothing is claimed" : inShort(first),
      };
    },
  };
}

function reportStep(stage: Stage): ProjectStep {
  return {
    name: "report",
    inputs: (made) => made["calibrate"],
    present: () => true,
    run: async (made) => {
      const file = stage.context.workspace.report;
      const { reportId } = await keepReport(stage, { calibrationId: idOf(made, "calibrate", "calibration"), file });
      return { outputs: { report: reportId }, summary: "what was measured, as a page" };
    },
  };
}

/** A claim in a few words; its full sentence is separate. */
function inShort({ certified, targetRisk, errors, routed }: Claim): string {
  const counted = `${errors} wrong of ${routed} routed`;
  return certified
    ? `${counted}: certified to be at most ${targetRisk * 100} %`
    : "no claim is certified yet, so nothing is routed";
}

/** 1 - confidence without the digits that binary fractions add, e.g. 0.05 for 0.95. */
const roundedComplement = (confidence: number): number => Number((1 - confidence).toPrecision(12));

/** What became of rows that were tested before. */
function historyText({ retained = 0, withdrawn = [] }: SplitWire): string {
  return [
    ...(retained === 0
      ? []
      : [
          `; ${counted(
            retained,
            "text that was tested before and is gone stays a test row",
            "texts that were tested before and are gone stay test rows",
          )}`,
        ]),
    ...(withdrawn.length === 0 ? [] : [`; ${counted(withdrawn.length, "label is", "labels are")} withdrawn`]),
  ].join("");
}

/** Whether each text is an example and a test request: about one catalog, with models that were not fitted on the texts. */
const isEveryText = ({ claim, models }: ProjectFile, rows: readonly LabelledRequest[], catalog: Catalog): boolean =>
  claim.population === "this_catalog" &&
  shippedBy(models.retriever) !== undefined &&
  shippedBy(models.verifier) !== undefined &&
  usesEveryText(rows, catalog);

async function splitRows(stage: Stage, project: ProjectFile, made: StepOutputs): Promise<FinishedStep> {
  const catalog = readCatalog(stage.history, idOf(made, "import", "catalog"));
  const dataset = readDataset(stage.history, idOf(made, "import", "dataset"));
  const everyText = isEveryText(project, dataset.document, catalog.document);
  const { splitId, split } = keepSplit(stage, {
    dataset: { sha256: dataset.sha256, rows: dataset.document },
    catalog,
    seed: project.seed,
    fractions: everyText ? everyTextShares(dataset.document.length) : measuringShares,
    by: everyText ? leftOutSplit : project.claim.population === "this_catalog" ? "request" : "workflow",
  });
  const { certify, tune, eval: held } = split.folds;
  const twice = everyText ? ", each scored with its family left out of the examples" : "";
  const rest = held.requests === 0 ? "none is held out" : `${held.requests} test`;
  return {
    outputs: { split: splitId },
    summary: `${counted(tune.requests + certify.requests, "request certifies", "requests certify")}${twice}; ${rest}${historyText(split)}`,
  };
}

/** Findings do not stop a project: they are shown, and a release requires somebody to accept them. */
async function auditRows(stage: Stage, made: StepOutputs): Promise<FinishedStep> {
  const catalog = readCatalog(stage.history, idOf(made, "import", "catalog"));
  const split = readSplit(stage.history, idOf(made, "split", "split"));
  const dataset = readDataset(stage.history, split.document.dataset_sha256);
  const { auditId, record } = keepAudit(stage, { dataset, catalog, split });
  const words = auditWords(record);
  return {
    outputs: { audit: auditId },
    summary: words === "" ? "no finding" : `${words}: a release requires an answer`,
  };
}
