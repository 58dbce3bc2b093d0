/**
 * Measures the time of one full fit and certification of all claims on a million scored records of 3,000 workflows.
 *
 *   npm run build && node --max-old-space-size=6144 --max-semi-space-size=64 dist/bench/calibrate-million.js
 *       [--records 1000000] [--json]
 */
import { parseArgs } from "node:util";
import type { Sha256 } from "../src/base/sha256.js";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { folds } from "../src/documents/choices.js";
import { syntheticRecords } from "../test/calibrate/synthetic-records.js";

const { values } = parseArgs({
  options: { records: { type: "string", default: "1000000" }, json: { type: "boolean", default: false } },
});

/** Number of workflows, and of out-of-scope groups, per fold. A fifth of the requests is out of scope. */
const workflows = 750;
const groups = 375;
const perFold = Number(values.records) / folds.length;
const records = syntheticRecords({
  seed: 1,
  folds,
  workflows,
  requestsPerWorkflow: Math.round((0.8 * perFold) / workflows),
  outOfScopeGroups: groups,
  requestsPerGroup: Math.round((0.2 * perFold) / groups),
  candidates: 3,
  difficulty: 0.25,
  overconfidence: 2,
});

const digest = "0".repeat(64);
const [started, cpu] = [performance.now(), process.cpuUsage()];
const fitted = fitCalibration({
  records,
  target_risk: 0.1,
  required_tiers: { high: 0.06, critical: 0.05 },
  delta: 0.05,
  digests: { catalog: digest as Sha256, dataset: digest as Sha256, split: digest as Sha256, run: digest as Sha256 },
  version: "bench",
});
const seconds = (performance.now() - started) / 1000;
const used = process.cpuUsage(cpu);
const cpuSeconds = (used.user + used.system) / 1e6;
const certified = fitted.claims.filter((claim) => claim.certified).map(({ scope }) => scope);
const result = { records: records.length, seconds, cpuSeconds, calibrator: fitted.calibrator.family, certified };
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `${records.length} records: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor time), calibrator ${result.calibrator}, certified ${certified.join(", ")}\n`,
);
