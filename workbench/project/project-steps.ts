import { join } from "node:path";
import { auditRequests } from "../../datasets/audit/audit-dataset.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { parseCatalog } from "../../src/catalog/load.js";
import { sha256Hex, type Sha256 } from "../../src/digest/sha256.js";
import { openChecks } from "../../src/domain/audit.js";
import type { CalibratorFamily } from "../../src/domain/calibrator.js";
import type { ClaimKind } from "../../src/domain/calibration.js";
import type { HistoryKind } from "../../src/domain/history-kind.js";
import { SluiceError } from "../../src/errors/error.js";
import { fitThresholds } from "../calibration/fit-thresholds.js";
import { keepAudit } from "../data/keep-audit.js";
import { keepDataset, keepSplit } from "../data/keep-dataset.js";
import { scoreRun } from "../evaluation/score-run.js";
import { findEntry } from "../history/read.js";
import { readInput } from "../read-input.js";
import { readCatalog, readDataset, readSplit } from "../records/read-records.js";
import { shortId } from "../records/short-id.js";
import { keepRecord, type Stage } from "../records/stage.js";
import { keepReport } from "../reporting/keep-report.js";
import { packageFolder, toolVersion } from "../tool-version.js";
import { type ProjectFile, projectFileName, shippedModels } from "./project-file.js";
import type { FinishedStep, ProjectStep } from "./run-steps.js";
import type { StepName } from "./step-names.js";
import type { StepOutputs } from "./step-state.js";

/** Shares of the folds where the models learn nothing from the data: everything measures. */
const measuringShares: FoldFractions = { fit: 0.01, tune: 0.39, certify: 0.4, eval: 0.2 };

const claimOf: Readonly<Record<ProjectFile["claim"]["population"], ClaimKind>> = {
  this_catalog: "fixed-catalog",
  new_workflows: "new-workflows",
};

/** Settled in advance for the shipped models, so that no label chooses it: see docs/adr/0014. */
const calibratorOf: Readonly<Record<ClaimKind, CalibratorFamily>> = {
  "fixed-catalog": "catalog-evidence",
  "new-workflows": "verifier-evidence",
  "expected-joint-risk": "verifier-evidence",
};

/** A file of a project, read once: what is hashed is what is imported. */
interface ReadFile {
  readonly path: string;
  readonly bytes: Buffer;
}

interface ProjectFiles {
  readonly catalog: ReadFile;
  readonly requests: ReadFile;
}

async function filesOf({ catalog, requests }: ProjectFile): Promise<ProjectFiles> {
  const read = async (path: string): Promise<ReadFile> => ({ path, bytes: await readInput(path) });
  return { catalog: await read(catalog), requests: await read(requests) };
}

const idOf = (outputs: StepOutputs, step: StepName, name: string): string => {
  const id = outputs[step]?.[name];
  if (id === undefined) throw new SluiceError("INTERNAL", `step ${step} made no ${name}`);
  return id;
};

/** The model folder that a project names. */
function modelFolder(project: ProjectFile, role: "retriever" | "verifier"): string {
  const named = project.models[role];
  return named === shippedModels ? join(packageFolder(), "models", "default", role) : named;
}

/**
 * The steps of a project, each with what it depends on. Records are written to the history of the stage; the same
 * inputs give the same records.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED  a file that the project names cannot be read
 */
export async function projectSteps(stage: Stage, project: ProjectFile): Promise<readonly ProjectStep[]> {
  const files = await filesOf(project);
  return [
    importStep(stage, files),
    {
      name: "audit",
      inputs: (made) => made["import"],
      present: () => true,
      run: async (made) => auditRows(stage, idOf(made, "import", "dataset"), idOf(made, "import", "catalog")),
    },
    {
      name: "split",
      inputs: (made) => ({ from: made["import"], seed: project.seed, population: project.claim.population }),
      present: ({ split }) => isThere(stage, "split", split),
      run: async (made) => splitRows(stage, project, made),
    },
    scoreStep(stage, project),
    calibrateStep(stage, project),
    reportStep(stage),
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
    present: ({ dataset, catalog }) => isThere(stage, "dataset", dataset) && isThere(stage, "catalog", catalog),
    run: async () => importFiles(stage, files),
  };
}

function scoreStep(stage: Stage, project: ProjectFile): ProjectStep {
  return {
    name: "score",
    inputs: (made) => ({ from: made["split"], models: project.models, tool: toolVersion() }),
    present: ({ run }) => isThere(stage, "run", run),
    run: async (made) => {
      const { runId, run } = await scoreRun(stage, {
        splitId: idOf(made, "split", "split"),
        retriever: { kind: "file", path: modelFolder(project, "retriever") },
        verifier: { kind: "file", path: modelFolder(project, "verifier") },
        workers: 2,
        maxErrorShare: 0.01,
      });
      return { outputs: { run: runId }, summary: `${run.requests} requests scored` };
    },
  };
}

function calibrateStep(stage: Stage, project: ProjectFile): ProjectStep {
  const { population, target, confidence } = project.claim;
  const claim = claimOf[population];
  const calibrator = project.models.verifier === shippedModels ? { calibrator: calibratorOf[claim] } : {};
  return {
    name: "calibrate",
    inputs: (made) => ({ from: made["score"], claim, target, confidence, tool: toolVersion() }),
    present: ({ calibration }) => isThere(stage, "calibration", calibration),
    run: async (made) => {
      const runId = idOf(made, "score", "run");
      const delta = roundedComplement(confidence);
      const version = `${project.name}-${shortId(runId)}`;
      const { calibration } = fitThresholds(stage, { runId, claim, target, delta, ...calibrator, version });
      const [first] = calibration.document.claims;
      return { outputs: { calibration: calibration.sha256 }, summary: first?.sentence ?? "nothing is claimed" };
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
      return { outputs: { report: reportId }, summary: file };
    },
  };
}

/** 1 - confidence without the digits that binary fractions add, e.g. 0.05 for 0.95. */
const roundedComplement = (confidence: number): number => Number((1 - confidence).toPrecision(12));

function importFiles(stage: Stage, files: ProjectFiles): FinishedStep {
  const { bytes } = files.catalog;
  const catalog = parseCatalog(bytes, files.catalog.path);
  const rows = readJsonl(files.requests.bytes, files.requests.path);
  const known = new Set(catalog.workflows.map(({ workflowId }) => workflowId));
  const strange = rows.find(({ workflowId }) => workflowId !== null && !known.has(workflowId));
  if (strange !== undefined) {
    throw new SluiceError(
      "DATASET_INVALID",
      `${files.requests.path}: request ${strange.id} names the workflow ${strange.workflowId}, which ${files.catalog.path} lacks`,
      { hint: "Add the workflow to the catalog, or correct the request." },
    );
  }
  keepRecord(stage, "catalog", bytes);
  const { sha256 } = keepDataset(stage, rows, { format: "jsonl", project: projectFileName });
  const outOfScope = rows.filter(({ workflowId }) => workflowId === null).length;
  return {
    outputs: { dataset: sha256, catalog: catalog.sha256 },
    summary: `${catalog.workflows.length} workflows, ${rows.length} requests, ${outOfScope} out of scope`,
  };
}

/** Findings do not stop a project: they are shown, and a release asks somebody to answer for them. */
async function auditRows(stage: Stage, datasetId: string, catalogId: string): Promise<FinishedStep> {
  const rows = readDataset(stage.history, datasetId).document;
  const { findings } = auditRequests({ rows, catalog: readCatalog(stage.history, catalogId).document });
  const failed = findings.filter(({ passed }) => !passed);
  const words = failed.map(({ check, count }) => `${check} (${count})`).join(", ");
  return { outputs: {}, summary: failed.length === 0 ? "no finding" : `look at: ${words}` };
}

async function splitRows(stage: Stage, project: ProjectFile, made: StepOutputs): Promise<FinishedStep> {
  const catalog = readCatalog(stage.history, idOf(made, "import", "catalog"));
  const dataset = readDataset(stage.history, idOf(made, "import", "dataset"));
  const { splitId } = keepSplit(stage, {
    dataset: { sha256: dataset.sha256, rows: dataset.document },
    catalog,
    seed: project.seed,
    fractions: measuringShares,
    by: project.claim.population === "this_catalog" ? "request" : "workflow",
  });
  const split = readSplit(stage.history, splitId);
  const { record } = keepAudit(stage, { dataset, catalog, split });
  const { certify, tune, eval: held } = split.document.folds;
  const open = openChecks(record);
  const note = open.length === 0 ? "" : `; a release needs an answer to: ${open.join(", ")}`;
  return {
    outputs: { split: splitId },
    summary: `${tune.requests + certify.requests} requests certify, ${held.requests} test${note}`,
  };
}
