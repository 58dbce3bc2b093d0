/**
 * The demonstration on other draws of its folds. The FIT fold, which the shipped checkpoint was fitted on, stays; the other
 * workflows are divided over TUNE, CERTIFY and EVAL again, and `calibrate fit` runs with the settings of the
 * demonstration. Prints the mean share of EVAL that is routed, the wrong share, and how many EVAL folds are over the
 * target, for new workflows and, divided by request, for this catalog. Requests are scored once.
 *
 *   node dist/bench/demonstration-resplits.js [--splits 100] [--first-seed 1001] [--json]
 */
import { parseArgs } from "node:util";
import { quickstartSettings as settings } from "../cli/quickstart/settings.js";
import { command, type FittedJson, temporaryFolder } from "./commands/run-command.js";

const { values } = parseArgs({
  options: {
    splits: { type: "string", default: "100" },
    "first-seed": { type: "string", default: "1001" },
    json: { type: "boolean", default: false },
  },
});
const splits = Number(values.splits);
const firstSeed = Number(values["first-seed"]);

/** One calibration, and what it does on its EVAL fold. */
interface Draw {
  readonly certified: boolean;
  readonly routed: number;
  readonly wrong: number;
  readonly requests: number;
}

const folder = temporaryFolder();
const shares = Object.values(settings.fractions).join(",");
const models = ["--retriever", settings.retriever, "--verifier", settings.verifier];
await command(folder, "dataset", "import", settings.requestsFile, "--format", "jsonl", "--catalog", settings.catalogFile);
const { split: first } = await command<{ readonly split: string }>(
  folder,
  ...["dataset", "split", "--seed", String(settings.seed), "--shares", shares],
);
await command(folder, "eval", "run", ...models);

async function draw(seed: number, claim: "new-workflows" | "fixed-catalog"): Promise<Draw> {
  const by = claim === "fixed-catalog" ? "request" : "workflow";
  const target = claim === "fixed-catalog" ? settings.catalogClaim.target : settings.target;
  const calibrator = claim === "fixed-catalog" ? settings.catalogClaim.calibrator : settings.calibrator;
  await command(
    folder,
    ...["dataset", "split", "--by", by, "--keep-fit", first, "--seed", String(seed), "--shares", shares],
  );
  await command(folder, "eval", "run", ...models);
  const { document, evaluation } = await command<FittedJson>(
    folder,
    ...["calibrate", "fit", "--claim", claim, "--target", String(target), "--delta", String(settings.delta)],
    ...["--calibrator", calibrator],
  );
  return {
    certified: document.claims.some(({ certified }) => certified),
    routed: evaluation.selective_risk.n,
    wrong: evaluation.selective_risk.k,
    requests: evaluation.requests,
  };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const rows = [];
for (const claim of ["new-workflows", "fixed-catalog"] as const) {
  const target = claim === "fixed-catalog" ? settings.catalogClaim.target : settings.target;
  const draws: Draw[] = [];
  for (let i = 0; i < splits; i += 1) {
    draws.push(await draw(firstSeed + i, claim));
    process.stderr.write(`${claim} ${i + 1} of ${splits}\n`);
  }
  const wrongShares = draws.filter(({ routed }) => routed > 0).map(({ wrong, routed }) => wrong / routed);
  rows.push({
    claim,
    target,
    splits,
    certified: draws.filter(({ certified }) => certified).length,
    coverage: mean(draws.map(({ routed, requests }) => routed / requests)),
    wrong_of_routed: draws.reduce((sum, { wrong }) => sum + wrong, 0) / draws.reduce((sum, one) => sum + one.routed, 0),
    over_target: wrongShares.filter((share) => share > target).length,
    draws,
  });
}

if (values.json) process.stdout.write(`${JSON.stringify({ first_seed: firstSeed, rows })}\n`);
else {
  for (const row of rows) {
    process.stdout.write(
      `${row.claim}, at most ${100 * row.target} %: certified in ${row.certified} of ${splits}, routed ` +
        `${row.coverage.toFixed(3)} of EVAL, wrong ${(100 * row.wrong_of_routed).toFixed(1)} % of the routed, ` +
        `${row.over_target} EVAL folds over the target\n`,
    );
  }
}
