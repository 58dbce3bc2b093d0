/**
 * How often do certified thresholds break their target? Repeats split and certification on synthetic worlds, and, where
 * ../shared is present, on 100 catalogs of CLINC150 with lexical scores, and prints every rule beside the ones that
 * break it. Ends with code 1 when a claim is broken more often than chance explains in a world that it covers.
 *
 *   npm run bench:guarantee -- [--repetitions 500] [--catalogs 100] [--seed 1] [--cache FOLDER] [--json]
 *
 * Scoring a catalog takes seconds; scores are kept in the cache folder (default: under the system's temporary folder).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { EvidenceRow } from "../calibrate/point-evidence.js";
import type { SeededRandom } from "../src/stats/seeded-random.js";
import { allowedViolations, runWorld, type WorldOutcome } from "../test/calibrate/guarantee/run-worlds.js";
import { requestsOf, syntheticWorlds, type TrueRates, type World } from "../test/calibrate/guarantee/worlds.js";
import { furtherSeeds, scoreFurtherCatalog } from "../test/support/clinc150.js";
import { shared } from "../test/support/shared.js";
import { groupBy } from "../src/stats/group-by.js";

const { values } = parseArgs({
  options: {
    repetitions: { type: "string", default: "500" },
    catalogs: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    cache: { type: "string", default: join(tmpdir(), "sluice-bench-guarantee") },
    json: { type: "boolean", default: false },
  },
});
const [repetitions, catalogs, seed] = [Number(values.repetitions), Number(values.catalogs), Number(values.seed)];
const note = (text: string): unknown => process.stderr.write(`${text}\n`);

/** Workflows in each fold that is drawn from the 150. */
const workflowsPerFold = { tune: 75, certify: 150 } as const;

function clustersOf(rows: readonly EvidenceRow[]): readonly (readonly EvidenceRow[])[] {
  return [...groupBy(rows, (row) => row.cluster).values()];
}

/** The rows of a catalog as all traffic; folds are drawn by workflow with replacement. */
function worldOfCatalog(rows: readonly EvidenceRow[]): World {
  const inScope = clustersOf(rows.filter((row) => !row.outOfScope));
  const outOfScope = clustersOf(rows.filter((row) => row.outOfScope));
  const drawFold = (random: SeededRandom, workflows: number) => {
    const pick = (from: readonly (readonly EvidenceRow[])[], size: number) =>
      Array.from({ length: size }, (_, i) =>
        (from[random.integer(0, from.length - 1)] ?? []).map((row) => ({ ...row, cluster: `${row.cluster} ${i}` })),
      ).flat();
    const groups = Math.round((outOfScope.length * workflows) / inScope.length);
    const drawn = [...pick(inScope, workflows), ...pick(outOfScope, groups)];
    return { rows: drawn, requests: requestsOf(drawn) };
  };
  const truth: World["truth"] = ({ confidence, margin }): TrueRates => {
    const reached = (row: EvidenceRow) => row.confidence >= confidence && row.margin >= margin;
    const routed = rows.filter(reached);
    const wrong = routed.filter((row) => row.error).length;
    const shares = [...inScope, ...outOfScope].flatMap((cluster) => {
      const own = cluster.filter(reached);
      return own.length === 0 ? [] : [own.filter((row) => row.error).length / own.length];
    });
    return {
      risk: routed.length === 0 ? 0 : wrong / routed.length,
      macroRisk: shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length),
      coverage: routed.length / rows.length,
    };
  };
  return {
    name: "CLINC150 catalogs",
    clustered: true,
    sameMix: true,
    outOfScopeShare: rows.filter((row) => row.outOfScope).length / rows.length,
    draw: (random) => ({
      tune: drawFold(random, workflowsPerFold.tune),
      certify: drawFold(random, workflowsPerFold.certify),
    }),
    truth,
  };
}

async function cachedRows(catalogSeed: number): Promise<readonly EvidenceRow[]> {
  const file = join(values.cache, `${catalogSeed}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as readonly EvidenceRow[];
  const rows = await scoreFurtherCatalog(catalogSeed);
  mkdirSync(values.cache, { recursive: true });
  writeFileSync(`${file}.part`, JSON.stringify(rows));
  renameSync(`${file}.part`, file);
  return rows;
}

async function catalogOutcomes(): Promise<readonly WorldOutcome[]> {
  if (!existsSync(shared("data", "clinc150"))) {
    note("CLINC150 catalogs left out: ../shared is absent");
    return [];
  }
  const worlds: World[] = [];
  const started = performance.now();
  for (const catalogSeed of furtherSeeds().slice(0, catalogs)) {
    worlds.push(worldOfCatalog(await cachedRows(catalogSeed)));
    if (worlds.length % 10 === 0) {
      note(`CLINC150: ${worlds.length} catalogs scored, ${Math.round((performance.now() - started) / 1000)} s`);
    }
  }
  const [first] = worlds;
  if (first === undefined) return [];
  return runWorld((repetition) => worlds[repetition] ?? first, { repetitions: worlds.length, seed });
}

function line({ world, rule, claim, covered, repetitions: n, violations, coverage }: WorldOutcome): string {
  const verdict = !covered ? "" : violations <= allowedViolations(n) ? "held" : "BROKEN";
  return [
    world.padEnd(18),
    rule.padEnd(42),
    claim.padEnd(26),
    `${violations}/${n}`.padStart(8),
    coverage.toFixed(3),
    verdict,
  ].join("  ");
}

const outcomes: WorldOutcome[] = [];
for (const world of syntheticWorlds) {
  const started = performance.now();
  outcomes.push(...runWorld(() => world, { repetitions, seed }));
  note(`${world.name}: ${repetitions} repetitions, ${Math.round((performance.now() - started) / 1000)} s`);
}
outcomes.push(...(await catalogOutcomes()));

if (values.json) process.stdout.write(`${JSON.stringify({ worlds: outcomes })}\n`);
else {
  process.stdout.write("world  rule  claim  broken  coverage  verdict at 5 % + 3 standard errors\n");
  for (const outcome of outcomes) process.stdout.write(`${line(outcome)}\n`);
}
const broken = outcomes.filter((o) => o.covered && o.violations > allowedViolations(o.repetitions));
process.exitCode = broken.length > 0 ? 1 : 0;
