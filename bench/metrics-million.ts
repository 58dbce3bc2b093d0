/**
 * Measures time and peak memory of computing all metrics of one million scored records with 2,000 cluster-bootstrap
 * resamples. The records are simulated and read one after another, as from a table, so they are never all in memory.
 * Then computes the metrics that pandas and scikit-learn also support on both sides, from the same file of columns. The
 * environment variable PYTHON is a Python interpreter with these packages (default python3); without one this part is
 * skipped.
 *
 *   npm run build && node dist/bench/metrics-million.js [RECORDS] [RESAMPLES]   (default 1000000 2000)
 */
import { type EvaluationProgress, evaluateRecords } from "../eval/metrics/evaluate.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { riskTiers } from "../src/documents/choices.js";
import type { ScoredCandidate } from "../src/documents/decision.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { type SeededRandom, seededRandom } from "../src/base/numbers/seeded-random.js";
import { aCalibration, digestOf } from "../test/support/score-cases.js";
import { compareWithPeer } from "./peers/metrics-peer.js";

const workflows = 1000;
const outOfScopeGroups = 2000;
const candidatesPerRecord = 5;
const [records = 1_000_000, resamples = 2000] = process.argv.slice(2).map(Number);
const print = (text: string): unknown => process.stdout.write(`${text}\n`);

/** Every tenth request is out of scope. For 19 of 20 in-scope requests the gold workflow is a candidate. */
function* simulated(count: number, random: SeededRandom): Iterable<ScoredRecord> {
  for (let index = 0; index < count; index += 1) {
    const inScope = index % 10 !== 0;
    const gold = random.integer(0, workflows - 1);
    const goldRank = inScope && random.uniform() < 0.95 ? random.integer(1, candidatesPerRecord) : null;
    const candidates = Array.from({ length: candidatesPerRecord }, (_, place) =>
      candidate(place + 1 === goldRank ? gold : random.integer(0, workflows - 1), place + 1 === goldRank, random),
    );
    yield {
      id: `r${index}`,
      workflow_id: (inScope ? `workflow.${gold}` : null) as WorkflowId,
      cluster: inScope ? `workflow:workflow.${gold}` : `group:${random.integer(0, outOfScopeGroups - 1)}`,
      fold: "eval",
      slices: { domain: `domain-${gold % 20}`, voice: index % 3 === 0 ? "terse" : "polite" },
      expected_missing: index % 8 === 0 ? ["order_id"] : [],
      candidates,
      early_reason: null,
      error_code: null,
      gold_rank: goldRank,
      population: inScope ? "unseen_workflow" : "far_oos",
    };
  }
}

function candidate(workflow: number, isGold: boolean, random: SeededRandom): ScoredCandidate {
  const logit = random.uniform() * 6 - (isGold ? 1 : 5);
  return {
    workflow_id: `workflow.${workflow}` as WorkflowId,
    risk_tier: riskTiers[workflow % 4] ?? "low",
    eligible: random.uniform() < 0.98,
    retrieval_score: random.uniform(),
    logits: { mismatch: 0, needs_input: logit - 1, executable: logit },
    missing_inputs: workflow % 8 === 0 ? ["order_id"] : [],
    input_timeout: false,
  };
}

const started = performance.now();
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1).padStart(6);
const every = { records: records / 4, resamples: Math.max(1, resamples / 4) };
const onProgress: EvaluationProgress = (step, done) => {
  if (done % every[step] === 0) print(`${seconds()} s  ${step} ${done}`);
};
const evaluation = evaluateRecords({
  records: simulated(records, seededRandom(1)),
  fold: "all",
  runSha256: digestOf(1),
  topK: candidatesPerRecord,
  calibration: { sha256: digestOf(2), document: aCalibration() },
  resamples,
  onProgress,
});
print(`${seconds()} s  all metrics of ${evaluation.requests} records, ${resamples} resamples`);
print(`${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB peak memory`);

const peer = compareWithPeer(records, seededRandom(2), process.env["PYTHON"] ?? "python3");
if (peer.compared) {
  const { ownSeconds, peerSeconds, difference, versions } = peer;
  print(`8 metrics both have: ${ownSeconds.toFixed(2)} s here, ${peerSeconds.toFixed(2)} s with ${versions}`);
  print(
    `ratio peer / own: ${(peerSeconds / ownSeconds).toFixed(2)}; largest difference ${difference.toExponential(1)}`,
  );
} else print(`peer left out: ${peer.reason}`);
