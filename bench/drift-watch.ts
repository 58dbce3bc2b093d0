/**
 * Measures how soon the drift watch notices a shift, and its false alarms. Simulates independent requests to one tier
 * whose signed calibration routed 600 of 1,000 CERTIFY requests: first without a shift (at the certified rate and at
 * the edge of its interval), then with shifts of several sizes. The second part measures the claim in service: labels until
 * a change to twice the limit is noticed, false alarms, and labels until they show that the risk is below a limit.
 *
 *   node dist/bench/drift-watch.js [--runs 100] [--decisions 100000]
 */
import { parseArgs } from "node:util";
import { clopperPearson } from "../src/base/numbers/clopper-pearson.js";
import { MeanShiftDetector } from "../src/base/numbers/mean-shift-detector.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { RiskBetting } from "../src/base/numbers/risk-betting.js";
import { decisionsBetweenFalseAlarms } from "../serve/drift/drift-watch.js";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "100" }, decisions: { type: "string", default: "100000" } },
});
const runs = Number(values.runs);
const decisions = Number(values.decisions);
const certified = 0.6;
const { lower, upper } = clopperPearson(600, 1000, 0.99);
const threshold = 6 * decisionsBetweenFalseAlarms;

/** Number of decisions up to and including the first alarm; null without an alarm. */
function alarmAfter(rate: number, seed: number, before: number): number | null {
  const random = seededRandom(seed);
  const detector = new MeanShiftDetector(lower, upper, threshold);
  for (let n = 1; n <= before; n += 1) detector.add(Number(random.uniform() < certified));
  for (let n = 1; n <= decisions; n += 1) {
    detector.add(Number(random.uniform() < rate));
    if (detector.statistic >= threshold) return n;
  }
  return null;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
process.stdout.write(`expected coverage ${percent(lower)} to ${percent(upper)}; ${runs} runs each\n`);
for (const rate of [certified, lower, upper]) {
  const alarms = Array.from({ length: runs }, (_, run) => alarmAfter(rate, run + 1, 0)).filter((n) => n !== null);
  process.stdout.write(
    `no shift, coverage ${percent(rate)}: ${alarms.length} alarms in ${runs * decisions} decisions\n`,
  );
}
for (const rate of [0.54, 0.5, 0.45, 0.4, 0.3, 0.66, 0.7, 0.8]) {
  const found = Array.from({ length: runs }, (_, run) => alarmAfter(rate, run + 1, 5000));
  const delays = found.filter((n) => n !== null).sort((a, b) => a - b);
  const at = (share: number): number | undefined => delays[Math.floor(share * delays.length)];
  const noticed = `${delays.length} of ${runs} noticed`;
  process.stdout.write(
    `shift to ${percent(rate)} after 5000 decisions: ${noticed}, median ${at(0.5)}, 95% within ${at(0.95)}\n`,
  );
}

/** Labels until a change from a quarter of the limit to twice the limit refutes the claim; null: not within 5,000. */
function noticedAfter(limit: number, goodLabels: number, seed: number): number | null {
  const random = seededRandom(seed);
  const betting = new RiskBetting(limit);
  for (let n = 1; n <= goodLabels; n += 1) betting.add(random.uniform() < 0.4 * limit);
  for (let n = 1; n <= 5000; n += 1) {
    betting.add(random.uniform() < 2 * limit);
    if (betting.against >= 20) return n;
  }
  return null;
}

for (const goodLabels of [0, 500, 2000, 10_000]) {
  const delays = Array.from({ length: runs }, (_, run) => noticedAfter(0.05, goodLabels, run + 1) ?? Infinity);
  delays.sort((a, b) => a - b);
  process.stdout.write(`claim of 5%, risk 10% after ${goodLabels} good labels: median ${delays[runs / 2]} labels\n`);
}
for (const limit of [0.02, 0.05, 0.1]) {
  const alarms = Array.from({ length: 10 * runs }, (_, run) => {
    const random = seededRandom(run + 1);
    const betting = new RiskBetting(limit);
    for (let n = 0; n < 3000; n += 1) betting.add(random.uniform() < limit);
    return betting.against >= 20;
  }).filter(Boolean).length;
  process.stdout.write(
    `claim of ${percent(limit)}, risk at the limit: ${alarms} of ${10 * runs} refuted within 3,000 labels\n`,
  );
}

/** Labels until they show that the risk is below a limit; Infinity: not within 3,000. */
function shownAfter(limit: number, risk: number, seed: number): number {
  const random = seededRandom(seed);
  const betting = new RiskBetting(limit);
  for (let n = 1; n <= 3000; n += 1) {
    betting.add(random.uniform() < risk);
    if (betting.inFavour >= 20) return n;
  }
  return Infinity;
}

for (const risk of [0.01, 0.02, 0.03, 0.05]) {
  const labels = Array.from({ length: 10 * runs }, (_, run) => shownAfter(0.05, risk, run + 1)).sort((a, b) => a - b);
  const found = labels.filter((n) => n < Infinity).length;
  process.stdout.write(
    `limit of 5%, risk ${percent(risk)}: shown in ${found} of ${10 * runs}, median ${labels[5 * runs]}, 80% within ${labels[8 * runs]} labels\n`,
  );
}
