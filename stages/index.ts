/**
 * The workbench as a library: all commands of `sluice`, from labelled requests to an exported bundle, as functions on a
 * workspace. Requires SQLite (better-sqlite3, an optional package), which a server does not need.
 */
export type { AuditRecord } from "../datasets/audit/audit-document.js";
export type { AuditCheck } from "../src/documents/choices.js";
export type { Calibration } from "../src/documents/calibration.js";
export type { LabelledRequest } from "../src/documents/dataset.js";
export type { Evaluation } from "../src/documents/evaluation.js";
export type { HistoryKind } from "../src/documents/choices.js";
export type { Fold } from "../src/documents/choices.js";
export { createKeyFile, openPrivateKey } from "../release/signing/key-file.js";
export type { Signer } from "../release/signing/sign-statement.js";
export { SluiceError } from "../src/base/error.js";
export type { HistoryEntry } from "../store/history/entry.js";
export { openWorkbench, type WorkbenchOptions } from "./open-workbench.js";
export type { Stored } from "../store/records/read-records.js";
export type { RecordDocuments } from "../store/records/record-readers.js";
export type { Reference } from "../store/records/read-records.js";
export type { StepProgress } from "../store/step-progress.js";
export type { ReleaseStage } from "./project/release-step.js";
export type { ProjectRelease } from "./project/release-step.js";
export type { JudgeFiles } from "../release/read-signed.js";
export { openPersonKey, type PersonKeyOptions } from "../release/person-key.js";
export type { WorkbenchContext } from "../store/workbench-context.js";
export type { Workspace } from "../store/workspace.js";

export { auditDataset, type AuditDatasetOptions, type DatasetAudit } from "./audit.js";
export type { BackgroundSource } from "./fit/background-source.js";
export { type CalibratedRun, calibrateRun, type CalibrateRunOptions } from "./fit.js";
export { compareRuns, type CompareRunsOptions, type RunComparison } from "./compare.js";
export {
  type SignedTrustPolicy,
  signNextTrustPolicy,
  type UpdatedTrustPolicy,
  updateTrustPolicy,
} from "./trust.js";
export { createProject, type CreateProjectOptions } from "./init.js";
export { type AddedRequests, addRequests } from "./init/add-requests.js";
export {
  type CreatedTrustPolicy,
  createTrustPolicy,
  type CreateTrustPolicyOptions,
} from "./trust.js";
export type { Principal } from "./options/trust.js";
export type { RightLabel } from "./options/dataset.js";
export {
  approveRelease,
  type ReleaseDecisionOptions,
  rejectRelease,
  type SignedDecisionOnRelease,
} from "./approve.js";
export { type ExportedRelease, exportRelease, type ExportReleaseOptions } from "./export.js";
export {
  type DatasetOnRecord,
  importDataset,
  type ImportDatasetOptions,
} from "./import.js";
export { type ImportedRelease, importRelease, type ImportReleaseOptions } from "./export.js";
export { listRecords, type ListRecordsOptions, readStored, type ReadStoredOptions } from "./history.js";
export { readRelease, type ReadReleaseOptions, type ReleaseOnRecord } from "./sign.js";
export { reproduceClaim, type ReproduceClaimOptions } from "./reproduce.js";
export type { Reproduction } from "./reproduce/reproduce-bundle.js";
export {
  type RevokeOptions,
  revokeTargets,
  type WrittenRevocations,
} from "./revoke.js";
export {
  type EvaluatedRun,
  type MeasuredRun,
  measureRun,
  type MeasureRunOptions,
  runEvaluation,
  type RunEvaluationOptions,
  shippedModel,
} from "./score.js";
export type { Exchanged } from "./history/exchange.js";
export { pullHistory, pushHistory } from "./history.js";
export { workForQueue, type WorkForQueueOptions } from "./score.js";
export type { QueueSettings } from "../store/project/queue-settings.js";
export {
  evaluateShard,
  type EvaluateShardOptions,
  mergeEvaluation,
  type MergedEvaluation,
  type MergeEvaluationOptions,
} from "./score.js";
export { type ProjectOptions, type ProjectStatus, projectStatus } from "./project.js";
export {
  type RanProject,
  runProject,
  type RunProjectOptions,
} from "./project.js";
export {
  planCalibration,
  type PlanCalibrationOptions,
  type PlannedCalibration,
} from "./plan.js";
export type { SignerSource } from "../release/signing/sign-statement.js";
export {
  type SignedManifest,
  signManifest,
  type SignManifestOptions,
} from "./sign.js";
export {
  type RelabelledRow,
  type RelabelledRows,
  type RelabelOptions,
  relabelRequests,
} from "./relabel.js";
export { splitDataset, type SplitDatasetOptions } from "./split.js";
export {
  type OutsideCheckpoints,
  restoreWorkspace,
  type VerifiedWorkspace,
  verifyWorkspace,
} from "./history.js";
export { type VerifiedRelease, verifyRelease, type VerifyReleaseOptions } from "./export.js";
export { type WriteReportOptions, writeReport, type WrittenReport } from "./report.js";
export {
  writeReleasePage,
  type WriteReleasePageOptions,
  type WrittenReleasePage,
} from "./report/write-release-page.js";
export {
  writeCalibrationPage,
  type WriteCalibrationPageOptions,
  type WrittenCalibrationPage,
} from "./report/write-calibration-page.js";
