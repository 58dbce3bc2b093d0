import { type Command, defineCommand } from "./command.js";
import {
  completionShape,
  doctorShape,
  initShape,
  quickstartShape,
  runShape,
  schemaShape,
  statusShape,
} from "./shapes/project.js";
import {
  catalogCheckShape,
  catalogDiffShape,
  catalogExportShape,
  catalogLintShape,
  catalogShowShape,
} from "./shapes/catalog.js";
import { datasetAuditShape, datasetImportShape, datasetShowShape, datasetSplitShape } from "./shapes/dataset.js";
import { modelCheckShape, modelDescribeShape, modelFitLexicalShape, modelFitShape } from "./shapes/model.js";
import {
  evalCompareShape,
  evalErrorsShape,
  evalExplainShape,
  evalExportShape,
  evalImportPredictionsShape,
  evalListShape,
  evalRunShape,
  evalShowShape,
  evalSuggestShape,
} from "./shapes/eval.js";
import {
  calibrateFitShape,
  calibratePlanShape,
  calibrateShowShape,
  calibrateSimulateShape,
} from "./shapes/calibrate.js";
import { reportCalibrationShape, reportComparisonShape, reportEvalShape, reportReleaseShape } from "./shapes/report.js";
import { routeShape, serveShape, uiShape } from "./shapes/serving.js";
import { keyCreateShape, keyShowShape } from "./shapes/key.js";
import { trustCreateShape, trustShowShape, trustSignShape, trustUpdateShape } from "./shapes/trust.js";
import { manifestCreateShape, manifestShowShape } from "./shapes/manifest.js";
import { approveShape, rejectShape, revokeShape } from "./shapes/decisions.js";
import { bundleExportShape, bundleImportShape, bundleVerifyShape } from "./shapes/bundle.js";
import { reproduceShape } from "./shapes/reproduce.js";
import {
  historyBackupShape,
  historyCheckpointShape,
  historyCheckProofShape,
  historyGcShape,
  historyLogShape,
  historyProveShape,
  historyRestoreShape,
  historyVerifyShape,
} from "./shapes/history.js";

/** Every command, in the order of the help text: what can be said about it, and the module that does its work. */
export const commands: readonly Command[] = [
  defineCommand(quickstartShape, async () => (await import("./commands/quickstart.js")).quickstart),
  defineCommand(initShape, async () => (await import("./commands/init.js")).init),
  defineCommand(runShape, async () => (await import("./commands/run.js")).run),
  defineCommand(statusShape, async () => (await import("./commands/status.js")).status),
  defineCommand(doctorShape, async () => (await import("./commands/doctor.js")).doctor),
  defineCommand(schemaShape, async () => (await import("./commands/schema.js")).schema),
  defineCommand(completionShape, async () => (await import("./commands/completion.js")).completion),
  defineCommand(catalogCheckShape, async () => (await import("./commands/catalog/check.js")).catalogCheck),
  defineCommand(catalogShowShape, async () => (await import("./commands/catalog/show.js")).catalogShow),
  defineCommand(catalogLintShape, async () => (await import("./commands/catalog/lint.js")).catalogLint),
  defineCommand(catalogDiffShape, async () => (await import("./commands/catalog/diff.js")).catalogDiff),
  defineCommand(catalogExportShape, async () => (await import("./commands/catalog/export.js")).catalogExport),
  defineCommand(datasetImportShape, async () => (await import("./commands/dataset/import.js")).datasetImport),
  defineCommand(datasetSplitShape, async () => (await import("./commands/dataset/split.js")).datasetSplit),
  defineCommand(datasetAuditShape, async () => (await import("./commands/dataset/audit.js")).datasetAudit),
  defineCommand(datasetShowShape, async () => (await import("./commands/dataset/show.js")).datasetShow),
  defineCommand(modelDescribeShape, async () => (await import("./commands/model/describe.js")).modelDescribe),
  defineCommand(modelCheckShape, async () => (await import("./commands/model/check.js")).modelCheck),
  defineCommand(modelFitShape, async () => (await import("./commands/model/fit.js")).modelFit),
  defineCommand(modelFitLexicalShape, async () => (await import("./commands/model/fit-lexical.js")).modelFitLexical),
  defineCommand(evalRunShape, async () => (await import("./commands/eval/run.js")).evalRun),
  defineCommand(evalShowShape, async () => (await import("./commands/eval/show.js")).evalShow),
  defineCommand(evalErrorsShape, async () => (await import("./commands/eval/errors.js")).evalErrors),
  defineCommand(evalExplainShape, async () => (await import("./commands/eval/explain.js")).evalExplain),
  defineCommand(evalSuggestShape, async () => (await import("./commands/eval/suggest.js")).evalSuggest),
  defineCommand(evalExportShape, async () => (await import("./commands/eval/export.js")).evalExport),
  defineCommand(evalCompareShape, async () => (await import("./commands/eval/compare.js")).evalCompare),
  defineCommand(evalListShape, async () => (await import("./commands/eval/list.js")).evalList),
  defineCommand(
    evalImportPredictionsShape,
    async () => (await import("./commands/eval/import-predictions.js")).evalImportPredictions,
  ),
  defineCommand(calibratePlanShape, async () => (await import("./commands/calibrate/plan.js")).calibratePlan),
  defineCommand(calibrateFitShape, async () => (await import("./commands/calibrate/fit.js")).calibrateFit),
  defineCommand(calibrateShowShape, async () => (await import("./commands/calibrate/show.js")).calibrateShow),
  defineCommand(
    calibrateSimulateShape,
    async () => (await import("./commands/calibrate/simulate.js")).calibrateSimulate,
  ),
  defineCommand(reportEvalShape, async () => (await import("./commands/report/eval.js")).reportEval),
  defineCommand(
    reportCalibrationShape,
    async () => (await import("./commands/report/calibration.js")).reportCalibration,
  ),
  defineCommand(reportComparisonShape, async () => (await import("./commands/report/comparison.js")).reportComparison),
  defineCommand(reportReleaseShape, async () => (await import("./commands/report/release.js")).reportRelease),
  defineCommand(routeShape, async () => (await import("./commands/route.js")).route),
  defineCommand(serveShape, async () => (await import("./commands/serve.js")).serve),
  defineCommand(uiShape, async () => (await import("./commands/ui.js")).ui),
  defineCommand(keyCreateShape, async () => (await import("./commands/key/create.js")).keyCreate),
  defineCommand(keyShowShape, async () => (await import("./commands/key/show.js")).keyShow),
  defineCommand(trustCreateShape, async () => (await import("./commands/trust/create.js")).trustCreate),
  defineCommand(trustShowShape, async () => (await import("./commands/trust/show.js")).trustShow),
  defineCommand(trustSignShape, async () => (await import("./commands/trust/sign.js")).trustSign),
  defineCommand(trustUpdateShape, async () => (await import("./commands/trust/update.js")).trustUpdate),
  defineCommand(manifestCreateShape, async () => (await import("./commands/manifest/create.js")).manifestCreate),
  defineCommand(manifestShowShape, async () => (await import("./commands/manifest/show.js")).manifestShow),
  defineCommand(approveShape, async () => (await import("./commands/approve.js")).approve),
  defineCommand(rejectShape, async () => (await import("./commands/reject.js")).reject),
  defineCommand(revokeShape, async () => (await import("./commands/revoke.js")).revoke),
  defineCommand(bundleExportShape, async () => (await import("./commands/bundle/export.js")).bundleExport),
  defineCommand(bundleImportShape, async () => (await import("./commands/bundle/import.js")).bundleImport),
  defineCommand(bundleVerifyShape, async () => (await import("./commands/bundle/verify.js")).bundleVerify),
  defineCommand(reproduceShape, async () => (await import("./commands/reproduce.js")).reproduce),
  defineCommand(historyLogShape, async () => (await import("./commands/history/log.js")).historyLog),
  defineCommand(historyVerifyShape, async () => (await import("./commands/history/verify.js")).historyVerify),
  defineCommand(
    historyCheckpointShape,
    async () => (await import("./commands/history/checkpoint.js")).historyCheckpoint,
  ),
  defineCommand(historyProveShape, async () => (await import("./commands/history/prove.js")).historyProve),
  defineCommand(
    historyCheckProofShape,
    async () => (await import("./commands/history/check-proof.js")).historyCheckProof,
  ),
  defineCommand(historyBackupShape, async () => (await import("./commands/history/backup.js")).historyBackup),
  defineCommand(historyRestoreShape, async () => (await import("./commands/history/restore.js")).historyRestore),
  defineCommand(historyGcShape, async () => (await import("./commands/history/gc.js")).historyGc),
];
