import type { Command } from "./command.js";
import { approve } from "./commands/approve.js";
import { bundleExport } from "./commands/bundle/export.js";
import { bundleImport } from "./commands/bundle/import.js";
import { bundleVerify } from "./commands/bundle/verify.js";
import { calibrateFit } from "./commands/calibrate/fit.js";
import { calibratePlan } from "./commands/calibrate/plan.js";
import { calibrateShow } from "./commands/calibrate/show.js";
import { calibrateSimulate } from "./commands/calibrate/simulate.js";
import { catalogCheck } from "./commands/catalog/check.js";
import { catalogDiff } from "./commands/catalog/diff.js";
import { catalogExport } from "./commands/catalog/export.js";
import { catalogLint } from "./commands/catalog/lint.js";
import { catalogShow } from "./commands/catalog/show.js";
import { completion } from "./commands/completion.js";
import { datasetAudit } from "./commands/dataset/audit.js";
import { datasetImport } from "./commands/dataset/import.js";
import { datasetShow } from "./commands/dataset/show.js";
import { datasetSplit } from "./commands/dataset/split.js";
import { doctor } from "./commands/doctor.js";
import { evalCompare } from "./commands/eval/compare.js";
import { evalErrors } from "./commands/eval/errors.js";
import { evalExplain } from "./commands/eval/explain.js";
import { evalExport } from "./commands/eval/export.js";
import { evalImportPredictions } from "./commands/eval/import-predictions.js";
import { evalList } from "./commands/eval/list.js";
import { evalRun } from "./commands/eval/run.js";
import { evalShow } from "./commands/eval/show.js";
import { evalSuggest } from "./commands/eval/suggest.js";
import { historyBackup } from "./commands/history/backup.js";
import { historyCheckProof } from "./commands/history/check-proof.js";
import { historyCheckpoint } from "./commands/history/checkpoint.js";
import { historyGc } from "./commands/history/gc.js";
import { historyLog } from "./commands/history/log.js";
import { historyProve } from "./commands/history/prove.js";
import { historyRestore } from "./commands/history/restore.js";
import { historyVerify } from "./commands/history/verify.js";
import { init } from "./commands/init.js";
import { keyCreate } from "./commands/key/create.js";
import { keyShow } from "./commands/key/show.js";
import { manifestCreate } from "./commands/manifest/create.js";
import { manifestShow } from "./commands/manifest/show.js";
import { modelCheck } from "./commands/model/check.js";
import { modelDescribe } from "./commands/model/describe.js";
import { modelFit } from "./commands/model/fit.js";
import { modelFitLexical } from "./commands/model/fit-lexical.js";
import { quickstart } from "./commands/quickstart.js";
import { reject } from "./commands/reject.js";
import { reportEval } from "./commands/report/eval.js";
import { reproduce } from "./commands/reproduce.js";
import { revoke } from "./commands/revoke.js";
import { route } from "./commands/route.js";
import { run } from "./commands/run.js";
import { schema } from "./commands/schema.js";
import { serve } from "./commands/serve.js";
import { status } from "./commands/status.js";
import { trustCreate } from "./commands/trust/create.js";
import { trustShow } from "./commands/trust/show.js";
import { trustSign } from "./commands/trust/sign.js";
import { trustUpdate } from "./commands/trust/update.js";

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [
  quickstart,
  init,
  run,
  status,
  doctor,
  schema,
  completion,
  catalogCheck,
  catalogShow,
  catalogLint,
  catalogDiff,
  catalogExport,
  datasetImport,
  datasetSplit,
  datasetAudit,
  datasetShow,
  modelDescribe,
  modelCheck,
  modelFit,
  modelFitLexical,
  evalRun,
  evalShow,
  evalErrors,
  evalExplain,
  evalSuggest,
  evalExport,
  evalCompare,
  evalList,
  evalImportPredictions,
  calibratePlan,
  calibrateFit,
  calibrateShow,
  calibrateSimulate,
  reportEval,
  route,
  serve,
  keyCreate,
  keyShow,
  trustCreate,
  trustShow,
  trustSign,
  trustUpdate,
  manifestCreate,
  manifestShow,
  approve,
  reject,
  revoke,
  bundleExport,
  bundleImport,
  bundleVerify,
  reproduce,
  historyLog,
  historyVerify,
  historyCheckpoint,
  historyProve,
  historyCheckProof,
  historyBackup,
  historyRestore,
  historyGc,
];
