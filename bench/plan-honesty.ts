/**
 * Checks the advice of `sluice calibrate plan`. Plans from a few labelled requests of synthetic worlds, follows the
 * plan, and counts how often certification succeeds. The plan promises a probability of 0.80, which all worlds together
 * must reach. Exits with 1 if they do not, or if more than 5% of the targets called out of reach certify.
 *
 *   npm run bench:plan -- [--draws 40] [--samples 100] [--world TEXT] [--seed 1] [--records FILE] [--json]
 *
 * --records: the Arrow table of a run's scored records; its records outside FIT are resampled by workflow, in addition
 * to the worlds.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { crossFit, claimRows } from "../calibrate/cross-fit.js";
import { foldRequests } from "../calibrate/fold-requests.js";
import { readScoredTable } from "../eval/scored-table.js";
import { likely } from "../src/documents/calibration-plan.js";
import { type Followed, followAdvice, type Tally } from "../test/calibrate/plan/follow-advice.js";
import { catalogFutures, resampledFutures, workflowFutures } from "../test/calibrate/plan/world-futures.js";
import { syntheticWorlds } from "../test/calibrate/guarantee/worlds.js";

const { values } = parseArgs({
  options: {
    draws: { type: "string", default: "40" },
    samples: { type: "string", default: "100" },
    world: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    records: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const [draws, samples, seed] = [Number(values.draws), Number(values.samples), Number(values.seed)];

interface Row extends Followed {
  readonly world: string;
  readonly claim: string;
}

const tallyText = ({ rows, certified }: Tally): string =>
  rows === 0 ? "-" : `${certified}/${rows} ${(certified / rows).toFixed(2)}`;

/** Results on resamples of a run by workflow. */
async function ofRecords(file: string): Promise<Row> {
  const records = readScoredTable(await readFile(file), file).filter(
    ({ fold, error_code: errorCode }) => fold !== "fit" && errorCode === null,
  );
  const fitted = crossFit(records, { parts: 8, family: "platt", outOfScopeShare: undefined });
  const scored = claimRows(fitted, { certified_workflows: null });
  const futures = resampledFutures({ rows: scored, requests: foldRequests(records) }, 16, 52);
  const claim = "new-workflows";
  return { world: "records", claim, ...(await followAdvice(futures, { claim, draws, samples, seed, search: true })) };
}

const rows: Row[] = [];
function show(row: Row): void {
  rows.push(row);
  const { certified, broken } = row.advised;
  const tallies = [...[row.stated, row.missing, row.outOfReach].map(tallyText), `${broken}/${certified}`];
  if (!values.json) process.stdout.write(`${[row.world.padEnd(22), row.claim.padEnd(14), ...tallies].join("  ")}\n`);
}
if (!values.json)
  process.stdout.write(
    "world  claim  said to certify: did  more asked for: did  out of reach: did  advised claims broken\n",
  );
for (const world of syntheticWorlds.filter(({ name }) => name.includes(values.world))) {
  for (const claim of ["new-workflows", "fixed-catalog"] as const) {
    const futures = claim === "new-workflows" ? workflowFutures(world, 20, 50) : catalogFutures(world, 60, 300);
    const followed = await followAdvice(futures, { claim, draws, samples, seed, search: true });
    show({ world: world.name, claim, ...followed });
  }
}

if (values.records !== undefined) show(await ofRecords(values.records));

const total = (tallyOf: (row: Row) => Tally): Tally =>
  rows.map(tallyOf).reduce((a, b) => ({ rows: a.rows + b.rows, certified: a.certified + b.certified }), {
    rows: 0,
    certified: 0,
  });
const totals = {
  stated: total(({ stated }) => stated),
  missing: total(({ missing }) => missing),
  outOfReach: total(({ outOfReach }) => outOfReach),
};
if (values.json) process.stdout.write(`${JSON.stringify({ stated_share: likely, rows, totals })}\n`);
else process.stdout.write(`all  ${Object.values(totals).map(tallyText).join("  ")}\n`);

const noise = ({ rows: n }: Tally): number => 3 * Math.sqrt((likely * (1 - likely)) / Math.max(1, n));
const kept = [totals.stated, totals.missing].every(
  (tally) => tally.rows === 0 || tally.certified / tally.rows >= likely - noise(tally),
);
const wronglyHopeless = totals.outOfReach.certified > 0.05 * totals.outOfReach.rows;
process.exitCode = kept && !wronglyHopeless ? 0 : 1;
