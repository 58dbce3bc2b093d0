/**
 * Measures how soon the drift watch notices a shift, and its false alarms. Simulates independent requests to one tier
 * whose signed calibration routed 600 of 1,000 CERTIFY requests: first without a shift (at the certified rate and at
 * the edge of its interval), then with shifts of several sizes.
 *
 *   node dist/bench/drift-watch.js [--runs 100] [--decisions 100000]
 */
import { parseArgs } from "node:util";
import { clopperPearson } from "../src/base/numbers/clopper-pearson.js";
import { MeanShiftDetector } from "../src/base/numbers/mean-shift-detector.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
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

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
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
    `shift to ${percent(rate)} after 5000 decisions: ${noticed}, median ${at(0.5)}, 95 % within ${at(0.95)}\n`,
  );
}
