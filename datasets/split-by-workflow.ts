import { counted } from "../src/documents/number-text.js";
import type { Catalog } from "../src/documents/catalog.js";
import { type RiskTier, riskTiers, type Fold, folds } from "../src/documents/choices.js";
import { type Sha256, sha256Hex } from "../src/base/sha256.js";
import { clusterOf, type Dataset, type LabelledRequest } from "../src/documents/dataset.js";
import { foldOfRow, type Folds, type Split } from "../src/documents/split.js";
import { command, say, SluiceError, type Text } from "../src/base/error.js";
import { groupBy } from "../src/base/group-by.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import { assignFolds, type FoldFractions, withoutFit } from "./assign-folds.js";
import { type AlikeTexts, examplesOf, type Families, familiesOf } from "./families.js";
import { normaliseText } from "./near-duplicates.js";
import { type CrossValidation, type Rotation, rotateFolds } from "./rotate-folds.js";
import { leftOutSplit, requestFolds, requestSplits, roleFolds } from "./split-by-request.js";
import { splitKey, type SplitUnit, splitUnits } from "./split-units.js";

export interface SplitOptions {
  readonly dataset: Dataset;
  readonly catalog: Catalog;
  /** Seed of the draw, 32-bit integer >= 0. */
  readonly seed: number;
  /** Fold shares. Default: fit .35, tune .15, certify .30, eval .20. */
  readonly fractions?: FoldFractions;
  /** Additional key that no two folds share; see `splitKey`. Default: workflow, i.e. none. */
  readonly by?: string;
  readonly removed?: NonNullable<Split["removed"]> | undefined;
  /** Clusters of the FIT fold of another split that models were fitted on; they stay in FIT. */
  readonly keptFit?: readonly string[] | undefined;
  /** Makes several assignments instead of one. */
  readonly crossValidation?: CrossValidation | undefined;
  /** Split of an earlier version of the dataset, whose rows and workflows stay in their folds. */
  readonly earlier?: EarlierSplit | undefined;
  /** Previously tested rows that were retained, withdrawn or merged; stored in the split. */
  readonly history?: Pick<Split, "retained" | "wrong_before" | "withdrawn" | "held_out_changes" | "merged">;
  /** Texts with the same meaning, which form one family. Default: families are determined by words alone. */
  readonly alike?: AlikeTexts | undefined;
}

export interface EarlierSplit {
  readonly sha256: Sha256;
  readonly split: Split;
  readonly rows: readonly LabelledRequest[];
}

export const defaultFractions: FoldFractions = { fit: 0.35, tune: 0.15, certify: 0.3, eval: 0.2 };

/** Shared state during a split. */
interface Plan {
  readonly tierOf: ReadonlyMap<string, RiskTier>;
  readonly removed: ReadonlySet<string>;
  readonly families: Families;
}

/**
 * Seeded split into folds that share no workflow, no out-of-scope group, no family (see `familiesOf`) and no value of
 * `by`. With `by` "request", "role" or "left-out", folds share workflows but no request. Workflows are stratified by
 * risk tier and size, out-of-scope groups by `slices.oos` and size, removed workflows by size. Clusters that share a
 * family stay together; such a unit counts in its highest tier. The result is deterministic and does not depend on the
 * order of the rows.
 *
 * @throws {SluiceError} USAGE  the fractions are not positive or do not sum to 1, no row has a value of `by`, or there
 *   are too few parts
 * @throws {SluiceError} DOCUMENT_INVALID  a row has a workflow that is neither in the catalog nor removed
 * @throws {SluiceError} SPLIT_TOO_SMALL  a labelled tier would have no workflow in tune or certify
 */
export function splitByWorkflow(options: SplitOptions): Split {
  const { dataset, catalog, seed, by = "workflow", removed, crossValidation } = options;
  const fractions = options.fractions ?? defaultFractions;
  refuseFractions(fractions, by);
  refuseKeptFit(options);
  const tierOf = new Map(catalog.workflows.map((w) => [w.workflow_id, w.risk_tier]));
  const families = familiesOf({ rows: dataset.rows, examples: examplesOf(catalog), alike: options.alike });
  const plan: Plan = { tierOf, removed: new Set(removed?.workflows ?? []), families };
  refuseUnknownWorkflows(dataset.rows, plan);

  const assignments = requestSplits.has(by) ? [sharingWorkflows(options, by, families)] : disjoint(options, plan);
  const documents = assignments.map(({ repeat, rotation, foldOf }) => {
    if (!requestSplits.has(by)) refuseEmptyTiers(foldOf, plan);
    return { repeat, rotation, folds: foldsDocument(foldOf, plan) };
  });
  const [first] = documents;
  if (first === undefined) throw new SluiceError("INTERNAL", "a split without an assignment");
  return {
    schema_version: 1,
    dataset_sha256: dataset.sha256,
    catalog_sha256: catalog.sha256,
    seed,
    disjoint_by: by,
    fractions: { fit: fractions.fit, tune: fractions.tune, certify: fractions.certify, eval: fractions.eval },
    folds: first.folds,
    families: listsOf(dataset.rows, families.of),
    near_copies: listsOf(dataset.rows, families.nearCopyOf),
    ...givenFields(options),
    ...(crossValidation === undefined ? {} : { cross_validation: { ...crossValidation, assignments: documents } }),
  };
}

/** Optional fields of a split, present only if they were given. */
function givenFields({ alike, earlier, history, keptFit, removed }: SplitOptions): Partial<Split> {
  return {
    ...(alike === undefined ? {} : { alike: alike.map((keys) => [...keys]) }),
    ...(earlier === undefined ? {} : { follows: earlier.sha256 }),
    ...history,
    ...(keptFit === undefined ? {} : { kept_fit_sha256: keptFitDigest(keptFit) }),
    ...(removed === undefined ? {} : { removed }),
  };
}

/** Assigns folds that share no workflow. */
function disjoint(options: SplitOptions, plan: Plan): readonly Rotation[] {
  const { dataset, seed, by = "workflow", fractions = defaultFractions, keptFit, crossValidation } = options;
  const all = splitUnits(dataset.rows, splitKey(by, dataset.rows), plan.families.of);
  const random = seededRandom(seed);
  if (crossValidation !== undefined) return rotateFolds(strata(all, plan), crossValidation, fractions, random);
  const shares = keptFit === undefined ? fractions : withoutFit(fractions);
  const known = knownFolds(options);
  const units = all.flatMap((unit) => divided(unit, known));
  const settled = new Map(
    units.flatMap((unit) => {
      const fold = unit.clusters.flatMap((cluster) => known.get(cluster) ?? [])[0];
      return fold === undefined ? [] : [[unit, fold] as const];
    }),
  );
  const assigned = strata(units, plan).flatMap((stratum) => {
    const already: Partial<Record<Fold, number>> = {};
    for (const unit of stratum) {
      const fold = settled.get(unit);
      // A preserved FIT fold does not count towards the shares.
      if (fold === undefined || (keptFit !== undefined && fold === "fit")) continue;
      already[fold] = (already[fold] ?? 0) + unit.clusters.length;
    }
    const free = stratum.filter((unit) => !settled.has(unit));
    return [...assignFolds(free, shares, random, already)];
  });
  return [{ repeat: 0, rotation: 0, foldOf: new Map([...settled, ...assigned]) }];
}

/**
 * Folds of the clusters that must not move: those of the earlier split, and FIT for clusters that models were fitted
 * on.
 */
function knownFolds({ keptFit = [], earlier }: SplitOptions): ReadonlyMap<string, Fold> {
  const before = earlier === undefined ? [] : foldOf(earlier.split);
  return new Map([...before, ...keptFit.map((cluster) => [cluster, "fit"] as const)]);
}

/** Returns a unit unchanged, or divides it by cluster if an edit joined clusters of different folds. */
function divided(unit: SplitUnit, known: ReadonlyMap<string, Fold>): readonly SplitUnit[] {
  const found = new Set(unit.clusters.flatMap((cluster) => known.get(cluster) ?? []));
  if (found.size < 2) return [unit];
  return unit.clusters.map((cluster) => ({
    clusters: [cluster],
    rows: unit.rows.filter((row) => clusterOf(row) === cluster),
  }));
}

/** Row ids of each group with more than one row, sorted. @param groupOf  group of each row */
function listsOf(rows: readonly LabelledRequest[], groupOf: readonly (string | number)[]): string[][] {
  const members = groupBy([...rows.keys()], (index) => groupOf[index]);
  return [...members.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => indices.map((index) => rows[index].id).sort())
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Assigns folds that share workflows: by request, or as published. */
function sharingWorkflows(options: SplitOptions, by: string, families: Families): Rotation {
  const { dataset, catalog, seed, fractions = defaultFractions, keptFit, crossValidation, earlier } = options;
  if (crossValidation !== undefined) {
    throw new SluiceError("USAGE", `a split by ${by} has one assignment, found --folds`, {
      hint: say`Split without folds, or by workflow: ${command`sluice dataset split --folds 5`}.`,
    });
  }
  const foldOf =
    by === "role"
      ? roleFolds(dataset.rows, catalog)
      : requestFolds(dataset.rows, {
          fractions,
          seed,
          families,
          leftOut: by === leftOutSplit,
          keptFit,
          earlier: foldsByText(earlier),
        });
  return { repeat: 0, rotation: 0, foldOf };
}

export const keptFitDigest = (clusters: readonly string[]): Sha256 => sha256Hex(clusters.toSorted().join("\n"));

/** Folds of an earlier split by normalised text, which is stable even if ids are positions in a file. */
function foldsByText(earlier: EarlierSplit | undefined): ReadonlyMap<string, Fold> | undefined {
  if (earlier === undefined) return undefined;
  const folds = foldOf(earlier.split);
  return new Map(
    earlier.rows.flatMap((row) => {
      const fold = foldOfRow(row, folds);
      return fold === undefined ? [] : [[normaliseText(row.text), fold] as const];
    }),
  );
}

/** The assignments of a cross-validation as separate splits, in order; an ordinary split has one. */
export function splitsOf(split: Split): readonly Split[] {
  const { cross_validation: validation, ...single } = split;
  return validation === undefined
    ? [split]
    : validation.assignments.map(({ folds: own }) => ({ ...single, folds: own }));
}

export function foldOf(split: Split): ReadonlyMap<string, Fold> {
  return new Map(folds.flatMap((fold) => split.folds[fold].clusters.map((cluster) => [cluster, fold] as const)));
}

/**
 * Refuses invalid fractions. With shared workflows, FIT and TUNE may be empty: models may need no fit, and thresholds
 * can be learned on CERTIFY alone.
 */
function refuseFractions(fractions: FoldFractions, by: string): void {
  const shares = folds.map((fold) => fractions[fold]);
  const sum = shares.reduce((total, share) => total + share, 0);
  const mayBeEmpty = (fold: Fold): boolean =>
    (requestSplits.has(by) && (fold === "fit" || fold === "tune")) || (by === leftOutSplit && fold === "eval");
  const allowed = folds.every((fold) => fractions[fold] > 0 || (fractions[fold] === 0 && mayBeEmpty(fold)));
  if (allowed && Math.abs(sum - 1) < 1e-9) return;
  throw new SluiceError("USAGE", `fold fractions ${shares.join(", ")}: expected positive numbers with sum 1`, {
    hint: "Use for example 0.35, 0.15, 0.3 and 0.2 for fit, tune, certify and eval; by request fit and tune may be 0.",
  });
}

function refuseKeptFit({ by = "workflow", keptFit, crossValidation }: SplitOptions): void {
  if (keptFit === undefined || (by !== "role" && crossValidation === undefined)) return;
  const found = crossValidation === undefined ? "a split by role" : "a cross-validation";
  throw new SluiceError("USAGE", `found ${found}, expected one split by workflow or request with the same FIT fold`, {
    hint: say`Write: ${command`sluice dataset split --by request --keep-fit SPLIT`}`,
  });
}

function refuseUnknownWorkflows(rows: readonly LabelledRequest[], { tierOf, removed }: Plan): void {
  const unknown = [...new Set(rows.flatMap((r) => (r.workflow_id === null ? [] : [r.workflow_id])))]
    .filter((id) => !tierOf.has(id) && !removed.has(id))
    .sort();
  if (unknown.length === 0) return;
  const named = unknown.slice(0, 5).join(", ");
  throw new SluiceError("DOCUMENT_INVALID", `${unknown.length} workflow ids are not in the catalog: ${named}`, {
    hint: "Split with the catalog that the rows were labelled for.",
    details: { unknown },
  });
}

/** Groups units by stratum (a risk tier, removed workflows, a kind of out-of-scope requests), in a fixed order. */
function strata(units: readonly SplitUnit[], plan: Plan): readonly (readonly SplitUnit[])[] {
  const byStratum = new Map<string, SplitUnit[]>();
  for (const unit of units) {
    const tier = riskTiers.findLastIndex((t) => tiersOf(unit, plan).has(t));
    const stratum = tier >= 0 ? `tier ${tier}` : outOfScopeStratum(unit, plan);
    const members = byStratum.get(stratum);
    if (members === undefined) byStratum.set(stratum, [unit]);
    else members.push(unit);
  }
  return [...byStratum].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members);
}

/**
 * The stratum of an out-of-scope unit. If it mixes kinds, the alphabetically first one, so that row order does not
 * matter.
 */
function outOfScopeStratum(unit: SplitUnit, { removed }: Plan): string {
  if (unit.rows.some((row) => row.workflow_id !== null && removed.has(row.workflow_id))) return "removed";
  const kinds = unit.rows.map((row) => row.slices?.["oos"] ?? "").sort();
  return `out of scope ${kinds[0] ?? ""}`;
}

function tiersOf(unit: SplitUnit, plan: Plan): ReadonlySet<RiskTier> {
  return new Set(workflowsOf(unit.rows, plan).flatMap((id) => plan.tierOf.get(id) ?? []));
}

/** Labels of the rows, without removed workflows. */
function workflowsOf(rows: readonly LabelledRequest[], { removed }: Plan): readonly string[] {
  const labels = rows.flatMap((row) =>
    row.workflow_id === null || removed.has(row.workflow_id) ? [] : [row.workflow_id],
  );
  return [...new Set(labels)];
}

function refuseEmptyTiers(assigned: ReadonlyMap<SplitUnit, Fold>, plan: Plan): void {
  const counts = riskTiers.map((tier) => {
    const workflows: Record<Fold, number> = { fit: 0, tune: 0, certify: 0, eval: 0 };
    for (const [unit, fold] of assigned) {
      workflows[fold] += workflowsOf(unit.rows, plan).filter((id) => plan.tierOf.get(id) === tier).length;
    }
    return { tier, workflows, total: folds.reduce((sum, fold) => sum + workflows[fold], 0) };
  });
  const short = counts.filter((c) => c.total > 0 && (c.workflows.tune === 0 || c.workflows.certify === 0));
  if (short.length === 0) return;
  const named = short.map(
    (c) =>
      `tier ${c.tier} has ${counted(c.total, "workflow")}: ${folds.map((fold) => `${fold} ${c.workflows[fold]}`).join(", ")}`,
  );
  throw new SluiceError("SPLIT_TOO_SMALL", `${named.join("; ")}; expected at least 1 in tune and 1 in certify`, {
    hint: hintFor([...assigned.keys()].map((unit) => workflowsOf(unit.rows, plan).length)),
    details: { tiers: counts },
  });
}

/** @param sizes  number of workflows of each unit */
function hintFor(sizes: readonly number[]): Text {
  const [largest, all] = [Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)];
  if (largest > all / 2 && largest > 1) {
    return say`Near-duplicates or the unit of the split join ${largest} of ${counted(all, "workflow")}. Split by a smaller unit, or import without near-duplicates: ${command`sluice dataset import FILE --format FORMAT --drop-repeated`}`;
  }
  return say`Label requests of at least 4 workflows per tier. If near-duplicates join workflows, try another seed: ${command`sluice dataset split --seed SEED`}`;
}

function foldsDocument(assigned: ReadonlyMap<SplitUnit, Fold>, plan: Plan): Folds {
  const document = (fold: Fold): Folds[Fold] => foldDocument(assigned, fold, plan);
  return { fit: document("fit"), tune: document("tune"), certify: document("certify"), eval: document("eval") };
}

function foldDocument(assigned: ReadonlyMap<SplitUnit, Fold>, fold: Fold, plan: Plan): Folds[Fold] {
  const units = [...assigned].filter(([, unitFold]) => unitFold === fold).map(([unit]) => unit);
  const rows = units.flatMap((unit) => unit.rows);
  return {
    clusters: units.flatMap((unit) => unit.clusters).sort(),
    requests: rows.length,
    workflows: workflowsOf(rows, plan).length,
    out_of_scope: rows.filter((row) => row.workflow_id === null || plan.removed.has(row.workflow_id)).length,
  };
}
