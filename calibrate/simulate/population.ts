import { counted } from "../../src/domain/number-text.js";
import { type RiskTier, riskTiers } from "../../src/domain/choices.js";
import type { ScoredRecord } from "../../src/domain/scored-record.js";
import { SluiceError } from "../../src/errors/error.js";
import type { SeededRandom } from "../../src/stats/seeded-random.js";
import { groupBy } from "../../src/stats/group-by.js";

type SimulatedFold = "tune" | "certify";

/** Workflows of one tier, or out-of-scope groups, and how many of them each fold takes. */
interface Stratum {
  readonly clusters: readonly (readonly ScoredRecord[])[];
  readonly sizes: Readonly<Record<SimulatedFold, number>>;
}

/** Scored records as a population, and the composition of the folds drawn from it. */
export interface SimulatedPopulation {
  readonly records: readonly ScoredRecord[];
  readonly strata: readonly Stratum[];
}

const fewestWorkflows = 10;

/** Tier of a request's own workflow, as far as its candidates tell; out-of-scope requests have none. */
function stratumOf({ workflowId, candidates }: ScoredRecord): RiskTier | "out of scope" | "unknown" {
  if (workflowId === null) return "out of scope";
  return candidates.find((candidate) => candidate.workflowId === workflowId)?.riskTier ?? "unknown";
}

/** The stratum that most records of a cluster name. */
function stratumOfCluster(records: readonly ScoredRecord[]): string {
  const known = records.map(stratumOf).find((stratum) => stratum !== "unknown");
  return known ?? riskTiers[0];
}

/**
 * The records outside FIT as a population of workflows and out-of-scope groups. FIT is left out: scores of requests
 * that a model was fitted on are too optimistic.
 * @throws {SluiceError} CALIBRATION_INVALID  with fewer than 10 workflows
 */
export function simulatedPopulationOf(records: readonly ScoredRecord[]): SimulatedPopulation {
  const usable = records
    .filter((record) => record.fold !== "fit" && record.errorCode === null)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const clusters = [...groupBy(usable, (record) => record.cluster).values()];
  const workflows = clusters.filter((rows) => rows[0]?.workflowId !== null).length;
  if (workflows < fewestWorkflows) {
    throw new SluiceError(
      "CALIBRATION_INVALID",
      `found ${counted(workflows, "workflow")} outside FIT, expected at least ${fewestWorkflows} to draw from`,
      { hint: "Score a dataset with more workflows, or split it with a smaller FIT fold." },
    );
  }
  const strata = [...groupBy(clusters, stratumOfCluster).values()].map((members): Stratum => {
    const size = (fold: SimulatedFold) => members.filter((rows) => rows[0]?.fold === fold).length;
    return { clusters: members, sizes: { tune: size("tune"), certify: size("certify") } };
  });
  return { records: usable, strata };
}

/**
 * TUNE and CERTIFY folds of new workflows, drawn with replacement tier by tier; a workflow drawn twice is two workflows.
 * @param factor  size of the folds in multiples of the present ones, > 0
 */
export function drawFolds(
  population: SimulatedPopulation,
  random: SeededRandom,
  factor: number,
): readonly ScoredRecord[] {
  return (["tune", "certify"] as const).flatMap((fold) =>
    population.strata.flatMap(({ clusters, sizes }, stratum) =>
      Array.from({ length: Math.round(factor * sizes[fold]) }, (_, i) => {
        const rows = clusters[random.integer(0, clusters.length - 1)] ?? [];
        const copy = `${fold}-${stratum}-${i}`;
        return rows.map((row) => ({ ...row, id: `${copy}:${row.id}`, cluster: `${row.cluster}:${copy}`, fold }));
      }).flat(),
    ),
  );
}
