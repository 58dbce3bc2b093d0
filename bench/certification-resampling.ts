/**
 * How often do certified tiers break their target? Takes the scored records of a workspace outside FIT as the whole
 * population, draws TUNE and CERTIFY folds from it by cluster, calibrates with each procedure and compares what is
 * certified with the true risk on the population.
 *
 *   node dist/bench/certification-resampling.js HISTORY... [--repetitions 300] [--seed 1] [--only TEXT] [--json]
 */
import { parseArgs } from "node:util";
import { calibrationRows } from "../calibrate/calibrators/calibration-row.js";
import { chooseCalibrator } from "../calibrate/choose-calibrator.js";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { defaultStartErrors, type FixedSequence, fixedSequence } from "../calibrate/fixed-sequence.js";
import { fullCoverageIcc } from "../calibrate/intra-cluster-correlation.js";
import { monotoneTiers } from "../calibrate/monotone-tiers.js";
import { perTier } from "../calibrate/per-tier.js";
import { type PointEvidence, pathEvidence, type RiskTest } from "../calibrate/point-evidence.js";
import { learnRetrievalFloor } from "../calibrate/retrieval-floor.js";
import { type RoutableRow, routableRows } from "../calibrate/routable.js";
import { learnThresholdPath, type ThresholdPoint } from "../calibrate/threshold-path.js";
import { readScoredTable } from "../eval/scored-table.js";
import { parseCatalog } from "../src/catalog/load.js";
import { type RiskTier, riskTiers } from "../src/domain/catalog.js";
import type { RunWire, ScoredRecord } from "../src/domain/scored-record.js";
import { openHistory } from "../src/history/open.js";
import { getBlob, latestEntry } from "../src/history/read.js";
import { tQuantile } from "../src/stats/distributions.js";
import { type SeededRandom, seededRandom } from "../src/stats/seeded-random.js";
import { groupBy } from "../src/stats/group-by.js";

const targets = [0.1, 0.15, 0.2, 0.25];
const deltas = [0.05, 0.1];

/** How the clustering of errors enters the evidence. */
const rules = ["per tier", "all tiers", "all tiers and t", "linearised", "requests"] as const;
type Rule = (typeof rules)[number];

/** A way to certify, all of it fixed before CERTIFY is looked at. */
interface Procedure {
  readonly rule: Rule;
  readonly startErrors: readonly number[];
  readonly steps: number;
  readonly weights: "equal" | "by requests" | "inverse";
  /** Share of delta kept, once the start has passed, for the points before the start. */
  readonly stricterShare: number;
}

const base: Procedure = {
  rule: "all tiers",
  startErrors: defaultStartErrors,
  steps: 100,
  weights: "equal",
  stricterShare: 0,
};
const procedures: readonly Procedure[] = [
  ...rules.map((rule) => ({ ...base, rule })),
  ...[[0], [2], [3], [5], [8], [1, 0], [3, 2, 1, 0]].map((startErrors) => ({ ...base, startErrors })),
  ...[10, 20, 40].map((steps) => ({ ...base, steps })),
  ...(["by requests", "inverse"] as const).map((weights) => ({ ...base, weights })),
  ...[0.1, 0.2, 0.5].map((stricterShare) => ({ ...base, stricterShare })),
];

interface Population {
  readonly records: readonly ScoredRecord[];
  /** Clusters of each stratum with the number that TUNE and CERTIFY take. */
  readonly strata: readonly {
    readonly clusters: readonly (readonly ScoredRecord[])[];
    readonly sizes: Readonly<Record<"tune" | "certify", number>>;
  }[];
}

function readPopulation(path: string): Population {
  const history = openHistory(path, { readOnly: true });
  const entry = latestEntry(history, "run");
  if (entry === undefined) throw new Error(`${path}: the history holds no run`);
  const run = JSON.parse(getBlob(history, entry.sha256).toString("utf8")) as RunWire;
  const catalog = parseCatalog(getBlob(history, run.catalog_sha256), "catalog");
  const tierOf = new Map(catalog.workflows.map((w) => [w.workflowId, w.riskTier]));
  const records = readScoredTable(getBlob(history, run.records_sha256), "run").filter((r) => r.fold !== "fit");
  history.close();

  const stratumOf = (r: ScoredRecord) =>
    r.workflowId === null ? `out of scope ${r.slices["oos"] ?? ""}` : (tierOf.get(r.workflowId) ?? "");
  const strata = [...groupBy(records, stratumOf).values()].map((members) => {
    const clusters = [...groupBy(members, (r) => r.cluster).values()];
    const size = (fold: string) => clusters.filter((rows) => rows[0]?.fold === fold).length;
    return { clusters, sizes: { tune: size("tune"), certify: size("certify") } };
  });
  return { records, strata };
}

/** New folds of the original sizes; a cluster drawn twice counts as two clusters. */
function draw(population: Population, random: SeededRandom): readonly ScoredRecord[] {
  return (["tune", "certify"] as const).flatMap((fold) =>
    population.strata.flatMap(({ clusters, sizes }, s) =>
      Array.from({ length: sizes[fold] }, (_, i) => {
        const rows = clusters[random.integer(0, clusters.length - 1)] ?? [];
        const copy = `${fold}-${s}-${i}`;
        return rows.map((r) => ({ ...r, id: `${copy}:${r.id}`, cluster: `${r.cluster}:${copy}`, fold }));
      }).flat(),
    ),
  );
}

type Rows = Readonly<Record<"tune" | "certify" | "population", readonly RoutableRow[]>>;

function learn(records: readonly ScoredRecord[], population: Population): Rows {
  const tune = records.filter((r) => r.fold === "tune");
  const { calibrator } = chooseCalibrator(calibrationRows(tune));
  const floor = learnRetrievalFloor(tune, calibrator);
  const rowsOf = (of: readonly ScoredRecord[]) => routableRows(of, calibrator, floor);
  return {
    tune: rowsOf(tune),
    certify: rowsOf(records.filter((r) => r.fold === "certify")),
    population: rowsOf(population.records),
  };
}

const ofTier = (rows: readonly RoutableRow[], tier: RiskTier) => rows.filter((row) => row.tier === tier);
const asRequests = (rows: readonly RoutableRow[]) => rows.map((row, i) => ({ ...row, cluster: `${i}` }));

/** Korn and Graubard's correction for the few clusters that the design effect was estimated from. */
function withStudentFactor(point: PointEvidence): PointEvidence {
  if (point.workflows < 2 || point.routed === point.workflows) return point;
  const factor = (tQuantile(0.975, point.workflows - 1) / tQuantile(0.975, point.routed - 1)) ** 2;
  const designEffect = point.designEffect * factor;
  return { ...point, designEffect, effectiveRouted: point.routed / designEffect };
}

function evidenceOf(rows: Rows, tier: RiskTier, rule: Rule, steps: number): readonly PointEvidence[] {
  const [tune, certify] = [ofTier(rows.tune, tier), ofTier(rows.certify, tier)];
  const path = learnThresholdPath(tune, steps);
  const withIcc = (tuneIcc: number, certifyIcc: number) =>
    pathEvidence(path, { rows: tune, icc: tuneIcc }, { rows: certify, icc: certifyIcc });
  if (rule === "per tier") return withIcc(fullCoverageIcc(tune), fullCoverageIcc(certify));
  if (rule === "linearised") return withIcc(0, 0);
  if (rule === "requests") {
    return pathEvidence(path, { rows: asRequests(tune), icc: 0 }, { rows: asRequests(certify), icc: 0 });
  }
  const evidence = withIcc(fullCoverageIcc(rows.tune), fullCoverageIcc(rows.certify));
  return rule === "all tiers" ? evidence : evidence.map(withStudentFactor);
}

/** The fixed sequence, then, with a share of delta, the points before its start from the last to the first. */
function certify(evidence: readonly PointEvidence[], test: RiskTest, procedure: Procedure): FixedSequence {
  const { startErrors, stricterShare } = procedure;
  const whole = fixedSequence(evidence, test, startErrors);
  if (stricterShare === 0 || whole.start === null || whole.certified.length === 0) return whole;
  const testable = evidence.map((point) => ({ ...point, plannedEffective: Number.POSITIVE_INFINITY }));
  const arm = (points: readonly PointEvidence[], share: number) =>
    fixedSequence(points, { ...test, delta: test.delta * share }, [0]).certified;
  const { index } = whole.start;
  const stricter = arm(testable.slice(0, index).reverse(), stricterShare).toReversed();
  const looser = arm(testable.slice(index + 1), 1 - stricterShare);
  return { ...whole, certified: [...stricter, ...whole.certified.slice(0, 1), ...looser] };
}

function weightsOf(rows: Rows, procedure: Procedure): Readonly<Record<RiskTier, number>> {
  const raw = perTier((tier) => {
    const requests = ofTier(rows.tune, tier).length;
    if (requests === 0) return 0;
    return procedure.weights === "equal" ? 1 : procedure.weights === "inverse" ? 1 / requests : requests;
  });
  const sum = riskTiers.reduce((total, tier) => total + raw[tier], 0);
  return perTier((tier) => raw[tier] / sum);
}

/** Counts over the repetitions of one procedure at one target and delta. */
interface Tally {
  joint: number;
  anyPoint: number;
  raised: number;
  routed: number;
  readonly certified: Record<RiskTier, number>;
  readonly violated: Record<RiskTier, number>;
}

const noTiers = () => ({ low: 0, medium: 0, high: 0, critical: 0 });
const newTally = (): Tally => ({
  joint: 0,
  anyPoint: 0,
  raised: 0,
  routed: 0,
  certified: noTiers(),
  violated: noTiers(),
});

function riskAt(point: ThresholdPoint, rows: readonly RoutableRow[]) {
  const routed = rows.filter((row) => row.confidence >= point.confidence && row.margin >= point.margin);
  return { routed: routed.length, risk: routed.filter((row) => row.error).length / Math.max(1, routed.length) };
}

type Evidence = Readonly<Record<RiskTier, readonly PointEvidence[]>>;

function tallyOne(tally: Tally, rows: Rows, evidence: Evidence, setting: Setting): Readonly<Record<RiskTier, unknown>> {
  const { procedure, target, delta } = setting;
  const weights = weightsOf(rows, procedure);
  const sequences = perTier((tier) => certify(evidence[tier], { target, delta: delta * weights[tier] }, procedure));
  const choices = monotoneTiers(
    perTier((tier) => {
      const { certified } = sequences[tier];
      return {
        outcome: certified.length > 0 ? { certified, reason: null } : { certified: [], reason: "RISK_NOT_CERTIFIED" },
      };
    }),
  );
  let [broken, brokenAnywhere] = [false, false];
  for (const tier of riskTiers) {
    const population = ofTier(rows.population, tier);
    if (sequences[tier].certified.some((point) => riskAt(point, population).risk > target)) brokenAnywhere = true;
    const { point, reason } = choices[tier];
    if (reason === "RAISED_POINT_NOT_CERTIFIED") tally.raised += 1;
    if (point === null) continue;
    const truth = riskAt(point, population);
    tally.certified[tier] += 1;
    tally.routed += truth.routed;
    if (truth.risk <= target) continue;
    tally.violated[tier] += 1;
    broken = true;
  }
  if (broken) tally.joint += 1;
  if (brokenAnywhere) tally.anyPoint += 1;
  return perTier((tier) => choices[tier].point?.confidence ?? null);
}

interface Setting {
  readonly procedure: Procedure;
  readonly target: number;
  readonly delta: number;
}

/** The procedure that `fitCalibration` has by default must ship what `fitCalibration` ships. */
function assertSameAsFit(records: readonly ScoredRecord[], { target, delta }: Setting, found: object): void {
  const digest = "0".repeat(64);
  const digests = { catalog: digest, dataset: digest, split: digest, run: digest };
  const fitted = fitCalibration({ records, targets: perTier(() => target), delta, digests, version: "bench" });
  const expected = JSON.stringify(perTier((tier) => fitted.tiers[tier].confidence));
  if (JSON.stringify(found) !== expected) throw new Error(`found ${JSON.stringify(found)}, fitCalibration ${expected}`);
}

function resample(
  population: Population,
  settings: readonly Setting[],
  options: { repetitions: number; seed: number },
) {
  const random = seededRandom(options.seed);
  const tallies = settings.map(newTally);
  for (let repetition = 0; repetition < options.repetitions; repetition += 1) {
    const records = draw(population, random);
    const rows = learn(records, population);
    const kept = new Map<string, Evidence>();
    for (const [i, setting] of settings.entries()) {
      const { rule, steps } = setting.procedure;
      const key = `${rule} ${steps}`;
      const evidence = kept.get(key) ?? perTier((tier) => evidenceOf(rows, tier, rule, steps));
      kept.set(key, evidence);
      const tally = tallies[i];
      if (tally === undefined) continue;
      const shipped = tallyOne(tally, rows, evidence, setting);
      if (repetition === 0 && nameOf(setting.procedure) === nameOf(base)) assertSameAsFit(records, setting, shipped);
    }
  }
  return tallies;
}

function nameOf({ rule, startErrors, steps, weights, stricterShare }: Procedure): string {
  return `${rule}; start ${startErrors.join("-")}; ${steps} steps; ${weights}; stricter ${stricterShare}`;
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      repetitions: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
    },
  });
  const [repetitions, seed] = [Number(values.repetitions), Number(values.seed)];
  const settings = procedures
    .filter((procedure) => nameOf(procedure).includes(values.only))
    .flatMap((procedure) => targets.flatMap((target) => deltas.map((delta) => ({ procedure, target, delta }))));
  const lines = positionals.flatMap((path) => {
    const population = readPopulation(path);
    return resample(population, settings, { repetitions, seed }).map((tally, i) => {
      const { procedure, target, delta } = settings[i] ?? { procedure: base, target: 0, delta: 0 };
      const share = (counts: Readonly<Record<RiskTier, number>>) => riskTiers.map((tier) => counts[tier] / repetitions);
      return {
        history: path,
        procedure: nameOf(procedure),
        target,
        delta,
        jointViolations: tally.joint / repetitions,
        anyPointViolations: tally.anyPoint / repetitions,
        allowed: delta + 3 * Math.sqrt((delta * (1 - delta)) / repetitions),
        violations: share(tally.violated),
        certified: share(tally.certified),
        raisedOut: tally.raised / repetitions,
        coverage: tally.routed / repetitions / population.records.length,
      };
    });
  });
  if (values.json) {
    for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  process.stdout.write(
    "procedure | target delta | joint any-point allowed | violations l m h c | certified l m h c | raised | coverage\n",
  );
  for (const line of lines) {
    const numbers = (...of: readonly number[]) => of.map((x) => x.toFixed(3)).join(" ");
    process.stdout.write(
      `${line.history} ${line.procedure} | ${line.target} ${line.delta} | ` +
        `${numbers(line.jointViolations, line.anyPointViolations, line.allowed)} | ${numbers(...line.violations)} | ` +
        `${numbers(...line.certified)} | ${numbers(line.raisedOut)} | ${numbers(line.coverage)}\n`,
    );
  }
}

main();
