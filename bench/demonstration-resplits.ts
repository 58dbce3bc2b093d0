/**
 * Repeats the demonstration with other splits. The FIT fold, which the shipped checkpoint was fitted on, is preserved;
 * the other workflows are divided among TUNE, CERTIFY and EVAL again (`dataset split --keep-fit`), and the thresholds
 * are fitted with the settings of the demonstration. Prints the mean routed share of EVAL, the wrong share, and the
 * number of EVAL folds above the target: for new workflows and, split by request, for this catalog. Requests are scored
 * only once.
 *
 *   node dist/bench/demonstration-resplits.js [--splits 100] [--first-seed 1001] [--claim fixed-catalog] [--json]
 */
import { parseArgs } from "node:util";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { datasetOf } from "../datasets/dataset-bytes.js";
import { foldOf, splitByWorkflow } from "../datasets/split-by-workflow.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ClaimKind } from "../src/documents/choices.js";
import { foldOfRow } from "../src/documents/split.js";
import { decide } from "../src/router/policy/decide.js";
import { clopperPearsonLower } from "../src/base/numbers/clopper-pearson.js";
import { demonstrationSettings as settings } from "../test/support/demonstration.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../test/support/service-desk.js";
import { modelsOf } from "./published/default-models.js";
import { scoreCatalog } from "./published/score-catalog.js";

const { values } = parseArgs({
  options: {
    splits: { type: "string", default: "100" },
    "first-seed": { type: "string", default: "1001" },
    claim: { type: "string", default: "new-workflows,fixed-catalog" },
    json: { type: "boolean", default: false },
  },
});
const splits = Number(values.splits);
const firstSeed = Number(values["first-seed"]);
const claims = [
  { claim: "new-workflows", by: "workflow", target_risk: settings.target_risk, calibrator: settings.calibrator },
  { claim: "fixed-catalog", by: "request", ...settings.catalogClaim },
] as const;

const [catalog, rows] = [await serviceDeskCatalog(), serviceDeskRequests()];
const dataset = datasetOf(rows);
const { fractions, delta } = settings;
const demonstration = splitByWorkflow({ dataset, catalog, seed: settings.seed, fractions });
const { sources } = await modelsOf(settings.retriever, settings.verifier);
const scored = await scoreCatalog(sources, catalog, { validation: rows, test: [] });
const recordOf = new Map(scored.validation.map((record) => [record.id, record]));

/** One calibration and its results on its EVAL fold. */
interface Draw {
  readonly certified: boolean;
  readonly requests: number;
  readonly routed: number;
  readonly wrong: number;
}

function draw(seed: number, { by, ...choices }: (typeof claims)[number]): Draw {
  const keptFit = demonstration.folds.fit.clusters;
  const split = splitByWorkflow({ dataset, catalog, seed, fractions, by, keptFit });
  const folds = foldOf(split);
  const records = rows.flatMap((row) => {
    const [record, fold] = [recordOf.get(row.id), foldOfRow(row, folds)];
    return record === undefined || fold === undefined ? [] : [{ ...record, fold }];
  });
  const digest = sha256Hex("no record");
  const digests = { catalog: digest, dataset: digest, split: digest, run: digest };
  const calibration = fitCalibration({ ...choices, delta, records, digests, version: "resplit" });
  const evaluated = records.filter(({ fold }) => fold === "eval");
  const routes = evaluated.flatMap((record) => {
    const { decision, workflow_id: workflowId } =
      record.early_reason === null ? decide(record.candidates, calibration) : { decision: "none", workflow_id: null };
    return decision === "ROUTE" ? [workflowId === record.workflow_id] : [];
  });
  return {
    certified: calibration.claims.some(({ certified }) => certified),
    requests: evaluated.length,
    routed: routes.length,
    wrong: routes.filter((right) => !right).length,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

interface Summary {
  readonly claim: ClaimKind;
  readonly target: number;
  readonly certified: number;
  readonly coverage: number;
  readonly wrong_of_routed: number;
  readonly over_target: number;
  readonly significantly_over: number;
}

const lineOf = (row: Summary): string =>
  `${row.claim}, at most ${100 * row.target} %: certified in ${row.certified} of ${splits}, routed ` +
  `${row.coverage.toFixed(3)} of EVAL, wrong ${(100 * row.wrong_of_routed).toFixed(1)} % of the routed; ` +
  `${row.over_target} EVAL folds over the target, ${row.significantly_over} by more than chance explains`;

const names = values.claim.split(",");
const wanted = claims.filter(({ claim }) => names.includes(claim));
const found = wanted.map((claim) => {
  const draws = Array.from({ length: splits }, (_, i) => {
    if (i % 10 === 9) process.stderr.write(`${claim.claim} ${i + 1} of ${splits}\n`);
    return draw(firstSeed + i, claim);
  });
  const over = draws.filter(({ wrong, routed }) => wrong > claim.target_risk * routed);
  const summary = {
    claim: claim.claim,
    target: claim.target_risk,
    splits,
    certified: draws.filter(({ certified }) => certified).length,
    coverage: sum(draws.map(({ routed, requests }) => routed / requests)) / splits,
    wrong_of_routed: sum(draws.map(({ wrong }) => wrong)) / sum(draws.map(({ routed }) => routed)),
    over_target: over.length,
    /** Above the target at 95 % confidence for an EVAL fold of this size, as if requests were independent. */
    significantly_over: over.filter(({ wrong, routed }) => clopperPearsonLower(wrong, routed, 0.05) > claim.target_risk)
      .length,
    draws,
  };
  process.stderr.write(`${lineOf(summary)}\n`);
  return summary;
});

process.stdout.write(
  values.json
    ? `${JSON.stringify({ first_seed: firstSeed, rows: found })}\n`
    : found.map((row) => `${lineOf(row)}\n`).join(""),
);
