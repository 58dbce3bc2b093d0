import type { Catalog, RiskTier } from "../src/domain/catalog.js";
import { riskTiers } from "../src/domain/catalog.js";
import type { Dataset, LabelledRequest } from "../src/domain/dataset.js";
import { type Fold, folds, type SplitWire } from "../src/domain/split.js";
import { SluiceError } from "../src/errors/error.js";
import { seededRandom } from "../src/stats/seeded-random.js";
import { assignFolds, type FoldFractions } from "./assign-folds.js";
import { type SplitUnit, splitUnits } from "./split-units.js";

export interface SplitOptions {
  readonly dataset: Dataset;
  readonly catalog: Catalog;
  /** 32-bit integer, at least 0. */
  readonly seed: number;
  /** Default: fit .35, tune .15, certify .30, eval .20. */
  readonly fractions?: FoldFractions;
}

export const defaultFractions: FoldFractions = { fit: 0.35, tune: 0.15, certify: 0.3, eval: 0.2 };

/**
 * Seeded split into folds that share no workflow, no out-of-scope group and no near-duplicate text.
 * Workflows are stratified by risk tier and size, out-of-scope groups by `slices.oos` and size. Clusters that share a
 * near-duplicate text move together; such a unit counts in its highest tier.
 * Same rows, catalog, seed and fractions give the same folds, whatever the order of the rows.
 *
 * @throws {SluiceError} USAGE  the fractions are not positive with sum 1
 * @throws {SluiceError} DATASET_INVALID  a row names a workflow that the catalog lacks
 * @throws {SluiceError} SPLIT_TOO_SMALL  a labelled tier would have no workflow in tune or certify
 */
export function splitByWorkflow(options: SplitOptions): SplitWire {
  const { dataset, catalog, seed } = options;
  const fractions = options.fractions ?? defaultFractions;
  refuseFractions(fractions);
  const tierOf = new Map(catalog.workflows.map((w) => [w.workflowId, w.riskTier]));
  refuseUnknownWorkflows(dataset.rows, tierOf);

  const random = seededRandom(seed);
  const assigned = new Map<SplitUnit, Fold>();
  for (const [, units] of strata(splitUnits(dataset.rows), tierOf)) {
    for (const [unit, fold] of assignFolds(units, fractions, random)) assigned.set(unit, fold);
  }
  refuseEmptyTiers(assigned, tierOf);
  return {
    schema_version: 1,
    dataset_sha256: dataset.sha256,
    catalog_sha256: catalog.sha256,
    seed,
    disjoint_by: "workflow",
    fractions: { fit: fractions.fit, tune: fractions.tune, certify: fractions.certify, eval: fractions.eval },
    folds: {
      fit: foldDocument(assigned, "fit"),
      tune: foldDocument(assigned, "tune"),
      certify: foldDocument(assigned, "certify"),
      eval: foldDocument(assigned, "eval"),
    },
  };
}

/** Fold of every cluster of a split. */
export function foldOf(split: SplitWire): ReadonlyMap<string, Fold> {
  return new Map(folds.flatMap((fold) => split.folds[fold].clusters.map((cluster) => [cluster, fold] as const)));
}

function refuseFractions(fractions: FoldFractions): void {
  const shares = folds.map((fold) => fractions[fold]);
  const sum = shares.reduce((total, share) => total + share, 0);
  if (shares.every((share) => share > 0) && Math.abs(sum - 1) < 1e-9) return;
  throw new SluiceError("USAGE", `fold fractions ${shares.join(", ")}: expected positive numbers with sum 1`, {
    hint: "Use for example 0.35, 0.15, 0.3 and 0.2 for fit, tune, certify and eval.",
  });
}

function refuseUnknownWorkflows(rows: readonly LabelledRequest[], tierOf: ReadonlyMap<string, RiskTier>): void {
  const unknown = [...new Set(rows.flatMap((r) => (r.workflowId === null ? [] : [r.workflowId])))]
    .filter((id) => !tierOf.has(id))
    .sort();
  if (unknown.length === 0) return;
  const named = unknown.slice(0, 5).join(", ");
  throw new SluiceError("DATASET_INVALID", `${unknown.length} workflow ids are not in the catalog: ${named}`, {
    hint: "Split with the catalog that the rows were labelled for.",
    details: { unknown },
  });
}

/** Units by stratum (a risk tier, or a kind of out-of-scope requests), strata in a fixed order. */
function strata(
  units: readonly SplitUnit[],
  tierOf: ReadonlyMap<string, RiskTier>,
): readonly (readonly [string, readonly SplitUnit[]])[] {
  const byStratum = new Map<string, SplitUnit[]>();
  for (const unit of units) {
    const tier = riskTiers.findLastIndex((t) => tiersOf(unit, tierOf).has(t));
    const stratum = tier >= 0 ? `tier ${tier}` : outOfScopeStratum(unit);
    const members = byStratum.get(stratum);
    if (members === undefined) byStratum.set(stratum, [unit]);
    else members.push(unit);
  }
  return [...byStratum].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The least kind by name when a group mixes kinds, so that the order of its rows does not matter. */
function outOfScopeStratum(unit: SplitUnit): string {
  const kinds = unit.rows.map((row) => row.slices?.["oos"] ?? "").sort();
  return `out of scope ${kinds[0] ?? ""}`;
}

function tiersOf(unit: SplitUnit, tierOf: ReadonlyMap<string, RiskTier>): ReadonlySet<RiskTier> {
  return new Set(workflowsOf(unit.rows).flatMap((id) => tierOf.get(id) ?? []));
}

function workflowsOf(rows: readonly LabelledRequest[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => (row.workflowId === null ? [] : [row.workflowId])))];
}

function refuseEmptyTiers(assigned: ReadonlyMap<SplitUnit, Fold>, tierOf: ReadonlyMap<string, RiskTier>): void {
  const counts = riskTiers.map((tier) => {
    const workflows: Record<Fold, number> = { fit: 0, tune: 0, certify: 0, eval: 0 };
    for (const [unit, fold] of assigned) {
      workflows[fold] += workflowsOf(unit.rows).filter((id) => tierOf.get(id) === tier).length;
    }
    return { tier, workflows, total: folds.reduce((sum, fold) => sum + workflows[fold], 0) };
  });
  const short = counts.filter((c) => c.total > 0 && (c.workflows.tune === 0 || c.workflows.certify === 0));
  if (short.length === 0) return;
  const named = short.map(
    (c) => `tier ${c.tier} has ${c.total} workflows: ${folds.map((fold) => `${fold} ${c.workflows[fold]}`).join(", ")}`,
  );
  throw new SluiceError("SPLIT_TOO_SMALL", `${named.join("; ")}; expected at least 1 in tune and 1 in certify`, {
    hint: "Label requests of at least 4 workflows per tier, or try another --seed when near-duplicates join workflows.",
    details: { tiers: counts },
  });
}

function foldDocument(assigned: ReadonlyMap<SplitUnit, Fold>, fold: Fold): SplitWire["folds"][Fold] {
  const units = [...assigned].filter(([, unitFold]) => unitFold === fold).map(([unit]) => unit);
  const rows = units.flatMap((unit) => unit.rows);
  return {
    clusters: units.flatMap((unit) => unit.clusters).sort(),
    requests: rows.length,
    workflows: workflowsOf(rows).length,
    out_of_scope: rows.filter((row) => row.workflowId === null).length,
  };
}
