import { type Command, defineCommand } from "./command.js";
import * as project from "./specs/project.js";
import * as catalog from "./specs/catalog.js";
import * as dataset from "./specs/dataset.js";
import * as model from "./specs/model.js";
import * as evaluation from "./specs/eval.js";
import * as calibrate from "./specs/calibrate.js";
import * as report from "./specs/report.js";
import * as serving from "./specs/serving.js";
import * as key from "./specs/key.js";
import * as trust from "./specs/trust.js";
import * as manifest from "./specs/manifest.js";
import * as decisions from "./specs/decisions.js";
import * as bundle from "./specs/bundle.js";
import * as reproduction from "./specs/reproduce.js";
import * as history from "./specs/history.js";

/** Every command in help order: its description, and the module that implements it. */
export const commands: readonly Command[] = [
  defineCommand(project.quickstartSpec, async () => (await import("./commands/quickstart.js")).quickstart),
  defineCommand(project.initSpec, async () => (await import("./commands/init.js")).init),
  defineCommand(project.labelSpec, async () => (await import("./commands/label.js")).label),
  defineCommand(project.runSpec, async () => (await import("./commands/run.js")).run),
  defineCommand(project.statusSpec, async () => (await import("./commands/status.js")).status),
  defineCommand(project.doctorSpec, async () => (await import("./commands/doctor.js")).doctor),
  defineCommand(project.schemaSpec, async () => (await import("./commands/schema.js")).schema),
  defineCommand(catalog.catalogCheckSpec, async () => (await import("./commands/catalog/check.js")).catalogCheck),
  defineCommand(catalog.catalogShowSpec, async () => (await import("./commands/catalog/show.js")).catalogShow),
  defineCommand(catalog.catalogLintSpec, async () => (await import("./commands/catalog/lint.js")).catalogLint),
  defineCommand(catalog.catalogDiffSpec, async () => (await import("./commands/catalog/diff.js")).catalogDiff),
  defineCommand(catalog.catalogExportSpec, async () => (await import("./commands/catalog/export.js")).catalogExport),
  defineCommand(dataset.datasetImportSpec, async () => (await import("./commands/dataset/import.js")).datasetImport),
  defineCommand(dataset.datasetRelabelSpec, async () => (await import("./commands/dataset/relabel.js")).datasetRelabel),
  defineCommand(dataset.datasetSplitSpec, async () => (await import("./commands/dataset/split.js")).datasetSplit),
  defineCommand(dataset.datasetAuditSpec, async () => (await import("./commands/dataset/audit.js")).datasetAudit),
  defineCommand(dataset.datasetShowSpec, async () => (await import("./commands/dataset/show.js")).datasetShow),
  defineCommand(model.modelDescribeSpec, async () => (await import("./commands/model/describe.js")).modelDescribe),
  defineCommand(model.modelFitSpec, async () => (await import("./commands/model/fit.js")).modelFit),
  defineCommand(evaluation.evalRunSpec, async () => (await import("./commands/eval/run.js")).evalRun),
  defineCommand(evaluation.evalWorkerSpec, async () => (await import("./commands/eval/worker.js")).evalWorker),
  defineCommand(evaluation.evalMergeSpec, async () => (await import("./commands/eval/merge.js")).evalMerge),
  defineCommand(evaluation.evalShowSpec, async () => (await import("./commands/eval/show.js")).evalShow),
  defineCommand(evaluation.evalErrorsSpec, async () => (await import("./commands/eval/errors.js")).evalErrors),
  defineCommand(evaluation.evalExplainSpec, async () => (await import("./commands/eval/explain.js")).evalExplain),
  defineCommand(evaluation.evalScoreSpec, async () => (await import("./commands/eval/score.js")).evalScore),
  defineCommand(evaluation.evalExportSpec, async () => (await import("./commands/eval/export.js")).evalExport),
  defineCommand(evaluation.evalCompareSpec, async () => (await import("./commands/eval/compare.js")).evalCompare),
  defineCommand(evaluation.evalListSpec, async () => (await import("./commands/eval/list.js")).evalList),
  defineCommand(
    evaluation.evalLeaderboardSpec,
    async () => (await import("./commands/eval/leaderboard.js")).evalLeaderboard,
  ),
  defineCommand(
    evaluation.evalImportPredictionsSpec,
    async () => (await import("./commands/eval/import-predictions.js")).evalImportPredictions,
  ),
  defineCommand(calibrate.calibratePlanSpec, async () => (await import("./commands/calibrate/plan.js")).calibratePlan),
  defineCommand(calibrate.calibrateFitSpec, async () => (await import("./commands/calibrate/fit.js")).calibrateFit),
  defineCommand(calibrate.calibrateShowSpec, async () => (await import("./commands/calibrate/show.js")).calibrateShow),
  defineCommand(report.reportEvalSpec, async () => (await import("./commands/report/eval.js")).reportEval),
  defineCommand(
    report.reportCalibrationSpec,
    async () => (await import("./commands/report/calibration.js")).reportCalibration,
  ),
  defineCommand(report.reportReleaseSpec, async () => (await import("./commands/report/release.js")).reportRelease),
  defineCommand(serving.routeSpec, async () => (await import("./commands/route.js")).route),
  defineCommand(serving.serveSpec, async () => (await import("./commands/serve.js")).serve),
  defineCommand(serving.mcpSpec, async () => (await import("./commands/mcp.js")).mcp),
  defineCommand(serving.uiSpec, async () => (await import("./commands/ui.js")).ui),
  defineCommand(key.keyCreateSpec, async () => (await import("./commands/key/create.js")).keyCreate),
  defineCommand(key.keyShowSpec, async () => (await import("./commands/key/show.js")).keyShow),
  defineCommand(trust.trustCreateSpec, async () => (await import("./commands/trust/create.js")).trustCreate),
  defineCommand(trust.trustShowSpec, async () => (await import("./commands/trust/show.js")).trustShow),
  defineCommand(trust.trustSignSpec, async () => (await import("./commands/trust/sign.js")).trustSign),
  defineCommand(trust.trustUpdateSpec, async () => (await import("./commands/trust/update.js")).trustUpdate),
  defineCommand(
    manifest.manifestCreateSpec,
    async () => (await import("./commands/manifest/create.js")).manifestCreate,
  ),
  defineCommand(manifest.manifestShowSpec, async () => (await import("./commands/manifest/show.js")).manifestShow),
  defineCommand(decisions.approveSpec, async () => (await import("./commands/decisions.js")).approve),
  defineCommand(decisions.rejectSpec, async () => (await import("./commands/decisions.js")).reject),
  defineCommand(decisions.revokeSpec, async () => (await import("./commands/revoke.js")).revoke),
  defineCommand(bundle.bundleExportSpec, async () => (await import("./commands/bundle/export.js")).bundleExport),
  defineCommand(bundle.bundleImportSpec, async () => (await import("./commands/bundle/import.js")).bundleImport),
  defineCommand(bundle.bundleVerifySpec, async () => (await import("./commands/bundle/verify.js")).bundleVerify),
  defineCommand(reproduction.reproduceSpec, async () => (await import("./commands/reproduce.js")).reproduce),
  defineCommand(history.historyLogSpec, async () => (await import("./commands/history/log.js")).historyLog),
  defineCommand(history.historyVerifySpec, async () => (await import("./commands/history/verify.js")).historyVerify),
  defineCommand(
    history.historyCheckpointSpec,
    async () => (await import("./commands/history/checkpoint.js")).historyCheckpoint,
  ),
  defineCommand(history.historyBackupSpec, async () => (await import("./commands/history/backup.js")).historyBackup),
  defineCommand(history.historyRestoreSpec, async () => (await import("./commands/history/restore.js")).historyRestore),
  defineCommand(history.historyPushSpec, async () => (await import("./commands/history/push.js")).historyPush),
  defineCommand(history.historyPullSpec, async () => (await import("./commands/history/pull.js")).historyPull),
  defineCommand(history.historyRepairSpec, async () => (await import("./commands/history/repair.js")).historyRepair),
  defineCommand(history.historyGcSpec, async () => (await import("./commands/history/gc.js")).historyGc),
];
