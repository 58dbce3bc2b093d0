/**
 * The workbench as a library: everything that the commands of `sluice` do, from labelled requests to an exported bundle, as
 * functions of a workspace. Needs SQLite (better-sqlite3, an optional package); a server does not.
 */
export type { AuditRecord } from "../datasets/audit/audit-document.js";
export type { AuditCheck } from "../src/domain/choices.js";
export type { Calibration } from "../src/domain/calibration.js";
export type { LabelledRequest } from "../src/domain/dataset.js";
export type { Evaluation } from "../src/domain/evaluation.js";
export type { HistoryKind } from "./history/history-kind.js";
export type { Fold } from "../src/domain/choices.js";
export { createKeyFile, openPrivateKey } from "./signing/key-file.js";
export type { Signer } from "./signing/signer.js";
export { SluiceError } from "../src/errors/error.js";
export type { HistoryEntry } from "./history/entry.js";
export { openWorkbench, type WorkbenchOptions } from "./open-workbench.js";
export type { Kept } from "./records/read-records.js";
export type { RecordDocuments } from "./records/record-readers.js";
export type { Reference } from "./records/reference.js";
export type { StepProgress } from "./step-progress.js";
export type { ReleaseStage } from "./project/release-stage.js";
export type { ProjectRelease } from "./release/project-release.js";
export type { JudgeFiles } from "./release/decision-judge.js";
export { openPersonKey, type PersonKeyOptions } from "./release/person-key.js";
export type { WorkbenchContext } from "./workbench-context.js";
export type { Workspace } from "./workspace.js";

export { auditDataset, type AuditDatasetOptions, type DatasetAudit } from "./use-cases/audit-dataset.js";
export type { BackgroundSource } from "./calibration/background-source.js";
export { type CalibratedRun, calibrateRun, type CalibrateRunOptions } from "./use-cases/calibrate-run.js";
export { type ComparedRun, compareRuns, type CompareRunsOptions } from "./use-cases/compare-runs.js";
export {
  type SignedTrustPolicy,
  signNextTrustPolicy,
  type UpdatedTrustPolicy,
  updateTrustPolicy,
} from "./use-cases/change-trust-policy.js";
export { createProject, type CreateProjectOptions } from "./use-cases/create-project.js";
export {
  type CreatedTrustPolicy,
  createTrustPolicy,
  type CreateTrustPolicyOptions,
  type Principal,
} from "./use-cases/create-trust-policy.js";
export {
  approveRelease,
  type ReleaseDecisionOptions,
  rejectRelease,
  type SignedDecisionOnRelease,
} from "./use-cases/decide-on-release.js";
export { type ExportedRelease, exportRelease, type ExportReleaseOptions } from "./use-cases/export-release.js";
export {
  type DatasetOnRecord,
  type FileSource,
  importDataset,
  type ImportDatasetOptions,
  type RequestSource,
} from "./use-cases/import-dataset.js";
export { type ImportedRelease, importRelease, type ImportReleaseOptions } from "./use-cases/import-release.js";
export { listRecords, type ListRecordsOptions, readStored, type ReadStoredOptions } from "./use-cases/list-records.js";
export { readRelease, type ReadReleaseOptions, type ReleaseOnRecord } from "./use-cases/read-release.js";
export { reproduceClaim, type ReproduceClaimOptions } from "./use-cases/reproduce-claim.js";
export type { Reproduction } from "./reproduction/reproduce-bundle.js";
export {
  type RevocationTarget,
  type RevokeOptions,
  revokeTargets,
  type WrittenRevocations,
} from "./use-cases/revoke-targets.js";
export {
  type EvaluatedRun,
  type EvaluationQueue,
  type MeasuredRun,
  measureRun,
  type MeasureRunOptions,
  runEvaluation,
  type RunEvaluationOptions,
  shippedModel,
} from "./use-cases/run-evaluation.js";
export type { Exchanged } from "./exchange/exchange-history.js";
export { pullHistory, pushHistory } from "./use-cases/exchange-history.js";
export { workForQueue, type WorkForQueueOptions } from "./use-cases/work-on-queue.js";
export type { QueueSettings } from "./queue/queue-settings.js";
export {
  evaluateShard,
  type EvaluateShardOptions,
  mergeEvaluation,
  type MergedEvaluation,
  type MergeEvaluationOptions,
} from "./use-cases/shard-evaluation.js";
export { type ProjectOptions, type ProjectStanding, projectStatus } from "./use-cases/project-status.js";
export {
  type RanProject,
  type ReleaseProjectOptions,
  runProject,
  type RunProjectOptions,
} from "./use-cases/run-project.js";
export {
  planCalibration,
  type PlanCalibrationOptions,
  type PlannedCalibration,
} from "./use-cases/plan-calibration.js";
export {
  type SignedManifest,
  type SignerSource,
  signManifest,
  type SignManifestOptions,
} from "./use-cases/sign-manifest.js";
export { splitDataset, type SplitDatasetOptions } from "./use-cases/split-dataset.js";
export {
  type OutsideCheckpoints,
  restoreWorkspace,
  type VerifiedWorkspace,
  verifyWorkspace,
} from "./use-cases/verify-history.js";
export { type VerifiedRelease, verifyRelease, type VerifyReleaseOptions } from "./use-cases/verify-release.js";
export { type WriteReportOptions, writeReport, type WrittenReport } from "./use-cases/write-report.js";
export {
  writeReleasePage,
  type WriteReleasePageOptions,
  type WrittenReleasePage,
} from "./use-cases/write-release-page.js";
export {
  writeCalibrationPage,
  type WriteCalibrationPageOptions,
  type WrittenCalibrationPage,
} from "./use-cases/write-calibration-page.js";
export {
  writeComparisonPage,
  type WriteComparisonPageOptions,
  type WrittenComparisonPage,
} from "./use-cases/write-comparison-page.js";
