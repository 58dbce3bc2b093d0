import { type Command, defineCommand } from "./command.js";
import * as project from "./shapes/project.js";
import * as catalog from "./shapes/catalog.js";
import * as dataset from "./shapes/dataset.js";
import * as model from "./shapes/model.js";
import * as evaluation from "./shapes/eval.js";
import * as calibrate from "./shapes/calibrate.js";
import * as report from "./shapes/report.js";
import * as serving from "./shapes/serving.js";
import * as key from "./shapes/key.js";
import * as trust from "./shapes/trust.js";
import * as manifest from "./shapes/manifest.js";
import * as decisions from "./shapes/decisions.js";
import * as bundle from "./shapes/bundle.js";
import * as reproduction from "./shapes/reproduce.js";
import * as history from "./shapes/history.js";

/** Every command, in the order of the help text: what can be said about it, and the module that does its work. */
export const commands: readonly Command[] = [
  defineCommand(project.quickstartShape, async () => (await import("./commands/quickstart.js")).quickstart),
  defineCommand(project.initShape, async () => (await import("./commands/init.js")).init),
  defineCommand(project.runShape, async () => (await import("./commands/run.js")).run),
  defineCommand(project.statusShape, async () => (await import("./commands/status.js")).status),
  defineCommand(project.doctorShape, async () => (await import("./commands/doctor.js")).doctor),
  defineCommand(project.schemaShape, async () => (await import("./commands/schema.js")).schema),
  defineCommand(project.completionShape, async () => (await import("./commands/completion.js")).completion),
  defineCommand(catalog.catalogCheckShape, async () => (await import("./commands/catalog/check.js")).catalogCheck),
  defineCommand(catalog.catalogShowShape, async () => (await import("./commands/catalog/show.js")).catalogShow),
  defineCommand(catalog.catalogLintShape, async () => (await import("./commands/catalog/lint.js")).catalogLint),
  defineCommand(catalog.catalogDiffShape, async () => (await import("./commands/catalog/diff.js")).catalogDiff),
  defineCommand(catalog.catalogExportShape, async () => (await import("./commands/catalog/export.js")).catalogExport),
  defineCommand(dataset.datasetImportShape, async () => (await import("./commands/dataset/import.js")).datasetImport),
  defineCommand(dataset.datasetSplitShape, async () => (await import("./commands/dataset/split.js")).datasetSplit),
  defineCommand(dataset.datasetAuditShape, async () => (await import("./commands/dataset/audit.js")).datasetAudit),
  defineCommand(dataset.datasetShowShape, async () => (await import("./commands/dataset/show.js")).datasetShow),
  defineCommand(model.modelDescribeShape, async () => (await import("./commands/model/describe.js")).modelDescribe),
  defineCommand(model.modelCheckShape, async () => (await import("./commands/model/check.js")).modelCheck),
  defineCommand(model.modelFitShape, async () => (await import("./commands/model/fit.js")).modelFit),
  defineCommand(
    model.modelFitLexicalShape,
    async () => (await import("./commands/model/fit-lexical.js")).modelFitLexical,
  ),
  defineCommand(evaluation.evalRunShape, async () => (await import("./commands/eval/run.js")).evalRun),
  defineCommand(evaluation.evalWorkerShape, async () => (await import("./commands/eval/worker.js")).evalWorker),
  defineCommand(evaluation.evalMergeShape, async () => (await import("./commands/eval/merge.js")).evalMerge),
  defineCommand(evaluation.evalShowShape, async () => (await import("./commands/eval/show.js")).evalShow),
  defineCommand(evaluation.evalErrorsShape, async () => (await import("./commands/eval/errors.js")).evalErrors),
  defineCommand(evaluation.evalExplainShape, async () => (await import("./commands/eval/explain.js")).evalExplain),
  defineCommand(evaluation.evalScoreShape, async () => (await import("./commands/eval/score.js")).evalScore),
  defineCommand(evaluation.evalSuggestShape, async () => (await import("./commands/eval/suggest.js")).evalSuggest),
  defineCommand(evaluation.evalExportShape, async () => (await import("./commands/eval/export.js")).evalExport),
  defineCommand(evaluation.evalCompareShape, async () => (await import("./commands/eval/compare.js")).evalCompare),
  defineCommand(evaluation.evalListShape, async () => (await import("./commands/eval/list.js")).evalList),
  defineCommand(
    evaluation.evalLeaderboardShape,
    async () => (await import("./commands/eval/leaderboard.js")).evalLeaderboard,
  ),
  defineCommand(
    evaluation.evalImportPredictionsShape,
    async () => (await import("./commands/eval/import-predictions.js")).evalImportPredictions,
  ),
  defineCommand(calibrate.calibratePlanShape, async () => (await import("./commands/calibrate/plan.js")).calibratePlan),
  defineCommand(calibrate.calibrateFitShape, async () => (await import("./commands/calibrate/fit.js")).calibrateFit),
  defineCommand(calibrate.calibrateShowShape, async () => (await import("./commands/calibrate/show.js")).calibrateShow),
  defineCommand(report.reportEvalShape, async () => (await import("./commands/report/eval.js")).reportEval),
  defineCommand(
    report.reportCalibrationShape,
    async () => (await import("./commands/report/calibration.js")).reportCalibration,
  ),
  defineCommand(
    report.reportComparisonShape,
    async () => (await import("./commands/report/comparison.js")).reportComparison,
  ),
  defineCommand(report.reportReleaseShape, async () => (await import("./commands/report/release.js")).reportRelease),
  defineCommand(serving.routeShape, async () => (await import("./commands/route.js")).route),
  defineCommand(serving.serveShape, async () => (await import("./commands/serve.js")).serve),
  defineCommand(serving.mcpShape, async () => (await import("./commands/mcp.js")).mcp),
  defineCommand(serving.uiShape, async () => (await import("./commands/ui.js")).ui),
  defineCommand(key.keyCreateShape, async () => (await import("./commands/key/create.js")).keyCreate),
  defineCommand(key.keyShowShape, async () => (await import("./commands/key/show.js")).keyShow),
  defineCommand(trust.trustCreateShape, async () => (await import("./commands/trust/create.js")).trustCreate),
  defineCommand(trust.trustShowShape, async () => (await import("./commands/trust/show.js")).trustShow),
  defineCommand(trust.trustSignShape, async () => (await import("./commands/trust/sign.js")).trustSign),
  defineCommand(trust.trustUpdateShape, async () => (await import("./commands/trust/update.js")).trustUpdate),
  defineCommand(
    manifest.manifestCreateShape,
    async () => (await import("./commands/manifest/create.js")).manifestCreate,
  ),
  defineCommand(manifest.manifestShowShape, async () => (await import("./commands/manifest/show.js")).manifestShow),
  defineCommand(decisions.approveShape, async () => (await import("./commands/approve.js")).approve),
  defineCommand(decisions.rejectShape, async () => (await import("./commands/reject.js")).reject),
  defineCommand(decisions.revokeShape, async () => (await import("./commands/revoke.js")).revoke),
  defineCommand(bundle.bundleExportShape, async () => (await import("./commands/bundle/export.js")).bundleExport),
  defineCommand(bundle.bundleImportShape, async () => (await import("./commands/bundle/import.js")).bundleImport),
  defineCommand(bundle.bundleVerifyShape, async () => (await import("./commands/bundle/verify.js")).bundleVerify),
  defineCommand(reproduction.reproduceShape, async () => (await import("./commands/reproduce.js")).reproduce),
  defineCommand(history.historyLogShape, async () => (await import("./commands/history/log.js")).historyLog),
  defineCommand(history.historyVerifyShape, async () => (await import("./commands/history/verify.js")).historyVerify),
  defineCommand(
    history.historyCheckpointShape,
    async () => (await import("./commands/history/checkpoint.js")).historyCheckpoint,
  ),
  defineCommand(history.historyProveShape, async () => (await import("./commands/history/prove.js")).historyProve),
  defineCommand(
    history.historyCheckProofShape,
    async () => (await import("./commands/history/check-proof.js")).historyCheckProof,
  ),
  defineCommand(history.historyBackupShape, async () => (await import("./commands/history/backup.js")).historyBackup),
  defineCommand(
    history.historyRestoreShape,
    async () => (await import("./commands/history/restore.js")).historyRestore,
  ),
  defineCommand(history.historyPushShape, async () => (await import("./commands/history/push.js")).historyPush),
  defineCommand(history.historyPullShape, async () => (await import("./commands/history/pull.js")).historyPull),
  defineCommand(history.historyGcShape, async () => (await import("./commands/history/gc.js")).historyGc),
];
