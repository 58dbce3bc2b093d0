import type { Catalog } from "../src/domain/catalog.js";
import type { LabelledRequest } from "../src/domain/dataset.js";
import { foldOfRow } from "../src/domain/split.js";
import type { Fold } from "../src/domain/choices.js";
import { SluiceError } from "../src/errors/error.js";
import type { SeededRandom } from "../src/stats/seeded-random.js";
import { groupBy } from "../src/stats/group-by.js";
import { assignFolds, type FoldFractions, withoutFit } from "./assign-folds.js";
import { normaliseText } from "./normalise-text.js";
import { type SplitUnit, splitUnits } from "./split-units.js";

/** Keys of a row in a split whose folds share workflows. */
const rowName = ({ id }: LabelledRequest): string => `row:${id}`;

/** Splits whose folds share workflows: only claims about the same workflows can be made on them. */
export const requestSplits: ReadonlySet<string> = new Set(["request", "role"]);

/** The slice that holds the published role of a row. */
export const roleSlice = "part";

/** Published roles and their folds. */
const publishedRoles: Readonly<Record<string, Fold>> = {
  train: "fit",
  training: "fit",
  val: "certify",
  valid: "certify",
  validation: "certify",
  dev: "certify",
  test: "eval",
};

/** The fold that a published role becomes; undefined for an unknown role. */
export function foldOfRole(role: string | undefined): Fold | undefined {
  return publishedRoles[role?.toLowerCase() ?? ""];
}

/** Catalog examples have shaped the models, so requests with the same texts never certify or test. */
function exampleTexts(catalog: Catalog): ReadonlySet<string> {
  return new Set(catalog.workflows.flatMap((workflow) => workflow.examples.map(normaliseText)));
}

export interface RequestFoldOptions {
  readonly fractions: FoldFractions;
  readonly random: SeededRandom;
  /** Clusters of the FIT fold of another split, which models were fitted on; their requests stay in FIT. */
  readonly keptFit?: readonly string[] | undefined;
}

/**
 * Folds of single requests: near-duplicates stay together, each workflow and each kind of out-of-scope requests is
 * spread over all folds, and a request that shaped the models is in FIT: its text is an example of the catalog, or it
 * belongs to the preserved FIT fold. Where one is preserved, the other requests are divided over the remaining folds.
 */
export function requestFolds(
  rows: readonly LabelledRequest[],
  catalog: Catalog,
  { fractions: asked, random, keptFit }: RequestFoldOptions,
): ReadonlyMap<SplitUnit, Fold> {
  const examples = exampleTexts(catalog);
  const kept = new Map((keptFit ?? []).map((cluster) => [cluster, "fit"] as const));
  const fractions = keptFit === undefined ? asked : withoutFit(asked);
  const units = splitUnits(rows, () => null, rowName);
  const shaped = (row: LabelledRequest): boolean =>
    examples.has(normaliseText(row.text)) || foldOfRow(row, kept) !== undefined;
  const isExample = (unit: SplitUnit): boolean => unit.rows.some(shaped);
  const free = units.filter((unit) => !isExample(unit));
  const strata = [
    ...groupBy(free, ({ rows: [row] }) => row?.workflowId ?? `out of scope ${row?.slices?.["oos"] ?? ""}`),
  ];
  return new Map([
    ...units.filter(isExample).map((unit) => [unit, "fit"] as const),
    ...strata
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, members]) => [...assignFolds(members, fractions, random)]),
  ]);
}

/**
 * Folds as they were published: train is FIT, validation is CERTIFY, test is EVAL; TUNE is empty. A request whose
 * text is an example of the catalog is in FIT whatever its role.
 * @throws {SluiceError} DATASET_INVALID  a row has no role, or an unknown one
 */
export function roleFolds(rows: readonly LabelledRequest[], catalog: Catalog): ReadonlyMap<SplitUnit, Fold> {
  const examples = exampleTexts(catalog);
  return new Map(
    rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => {
        const fold = examples.has(normaliseText(row.text)) ? "fit" : publishedFold(row);
        return [{ clusters: [rowName(row)], rows: [row] }, fold] as const;
      }),
  );
}

function publishedFold(row: LabelledRequest): Fold {
  const role = row.slices?.[roleSlice];
  const fold = foldOfRole(role);
  if (fold !== undefined) return fold;
  const found = role === undefined ? "no role" : `the role "${role}"`;
  throw new SluiceError("DATASET_INVALID", `row ${row.id}: found ${found}, expected train, validation or test`, {
    hint: "Split by request, or import the roles: sluice dataset import FILE --format csv --role-column COLUMN",
  });
}
