import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brierScore, logLoss } from "../../eval/stats/proper-scores.js";
import { expectedCalibrationError } from "../../eval/stats/reliability.js";
import { auroc, scoreTable } from "../../eval/stats/roc.js";
import type { SeededRandom } from "../../src/base/numbers/seeded-random.js";
import { packageRoot } from "../../test/support/package-root.js";

const program = join(packageRoot, "bench", "peers", "metrics_sklearn.py");
const workflows = 1000;
const tiers = 4;
const routedFrom = 0.5;
/** Number of distinct confidences. Ties occur, and no value is 0, 1 or a bin edge, for which conventions differ. */
const steps = 1e6;

/** Comparison with a peer that reads the same columns from a file and computes the metrics that both support. */
export type PeerComparison =
  | { readonly compared: false; readonly reason: string }
  | {
      readonly compared: true;
      readonly ownSeconds: number;
      readonly peerSeconds: number;
      /** Largest difference in any metric. */
      readonly difference: number;
      readonly versions: string;
    };

/** Columns in sequence, in the format of metrics_sklearn.py. */
function simulatedColumns(records: number, random: SeededRandom): Buffer {
  const confidence = new Float64Array(records);
  const [right, inScope, tier] = [new Uint8Array(records), new Uint8Array(records), new Uint8Array(records)];
  const workflow = new Int32Array(records);
  for (let i = 0; i < records; i += 1) {
    inScope[i] = i % 10 === 0 ? 0 : 1;
    const score = random.uniform() ** (inScope[i] === 1 ? 0.4 : 1.5);
    confidence[i] = (Math.floor(score * steps) + 0.5) / (steps + 1);
    right[i] = inScope[i] === 1 && random.uniform() < score ? 1 : 0;
    tier[i] = random.integer(0, tiers - 1);
    workflow[i] = random.integer(0, workflows - 1);
  }
  return Buffer.concat([confidence, right, inScope, tier, workflow].map(({ buffer }) => Buffer.from(buffer)));
}

function meanShare(events: Float64Array, trials: Float64Array): number {
  const shares = [...trials].flatMap((n, i) => (n === 0 ? [] : [(events[i] ?? 0) / n]));
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function ownMetrics(file: string, records: number): Readonly<Record<string, number | null>> {
  const { buffer } = new Uint8Array(readFileSync(file));
  const confidence = new Float64Array(buffer, 0, records);
  const right = new Uint8Array(buffer, 8 * records, records);
  const inScope = new Uint8Array(buffer, 9 * records, records);
  const tier = new Uint8Array(buffer, 10 * records, records);
  const workflow = new Int32Array(buffer.slice(11 * records));
  const [size, sum] = [new Float64Array(workflows), new Float64Array(workflows)];
  const [routed, wrong] = [new Float64Array(tiers), new Float64Array(tiers)];
  for (let i = 0; i < records; i += 1) {
    const [w, t] = [workflow[i] as number, tier[i] as number];
    size[w] = (size[w] as number) + 1;
    sum[w] = (sum[w] as number) + (right[i] as number);
    if ((confidence[i] as number) < routedFrom) continue;
    routed[t] = (routed[t] as number) + 1;
    wrong[t] = (wrong[t] as number) + 1 - (right[i] as number);
  }
  const stated = scoreTable(confidence, right);
  const scope = scoreTable(confidence, inScope);
  return {
    auroc: auroc(scope).value,
    brier: brierScore(stated).value,
    log_loss: logLoss(stated).value,
    ece: expectedCalibrationError(stated).value,
    mean_accuracy_of_workflows: meanShare(sum, size),
    mean_risk_of_tiers: meanShare(wrong, routed),
  };
}

/** @param python  Python interpreter with pandas and scikit-learn */
export function compareWithPeer(records: number, random: SeededRandom, python: string): PeerComparison {
  const known = spawnSync(python, ["-c", "import pandas, sklearn"], { encoding: "utf8" });
  if (known.status !== 0) return { compared: false, reason: `${python} has no pandas and scikit-learn` };
  const folder = mkdtempSync(join(tmpdir(), "sluice-metrics-peer-"));
  try {
    const file = join(folder, "columns");
    writeFileSync(file, simulatedColumns(records, random));
    const started = performance.now();
    const own = ownMetrics(file, records);
    const ownSeconds = (performance.now() - started) / 1000;
    const { status, stdout, stderr } = spawnSync(python, [program, file, String(records)], { encoding: "utf8" });
    if (status !== 0) return { compared: false, reason: `the peer failed: ${stderr.trim().split("\n").at(-1) ?? ""}` };
    const peer = JSON.parse(stdout) as {
      readonly seconds: number;
      readonly values: Readonly<Record<string, number>>;
      readonly versions: Readonly<Record<string, string>>;
    };
    const differences = Object.entries(peer.values).map(([name, value]) =>
      Math.abs(value - (own[name] ?? Number.POSITIVE_INFINITY)),
    );
    const versions = Object.entries(peer.versions).map(([name, version]) => `${name} ${version}`);
    return {
      compared: true,
      ownSeconds,
      peerSeconds: peer.seconds,
      difference: Math.max(...differences),
      versions: versions.join(", "),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
