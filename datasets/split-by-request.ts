import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { foldOfRow } from "../src/documents/split.js";
import type { Fold } from "../src/documents/choices.js";
import { sha256Hex } from "../src/base/sha256.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { groupBy } from "../src/base/group-by.js";
import { type FoldFractions, withoutFit } from "./assign-folds.js";
import { exampleTest, type Families } from "./families.js";
import { normaliseText } from "./near-duplicates.js";
import type { SplitUnit } from "./split-units.js";

/** Cluster name of a row in a split whose folds share workflows. */
const rowName = ({ id }: LabelledRequest): string => `row:${id}`;

/** Splits whose folds share workflows. They support only claims about the same workflows. */
export const requestSplits: ReadonlySet<string> = new Set(["request", "role", "left-out", "drawn"]);

/**
 * The split that uses every text twice: as a catalog example and, scored with its family left out, as a test request.
 * All families certify except those of EVAL, which have no examples.
 */
export const leftOutSplit = "left-out";

/**
 * The split of routes drawn from a log: TUNE has the examples, each scored with its family left out; CERTIFY has the
 * draws, scored over the whole catalog. A draw may repeat a text of an example, as it does in traffic.
 */
export const drawnSplit = "drawn";

export const roleSlice = "part";

/** Fold of each published role. */
const publishedRoles: Readonly<Record<string, Fold>> = {
  train: "fit",
  training: "fit",
  val: "certify",
  valid: "certify",
  validation: "certify",
  dev: "certify",
  test: "eval",
};

/** The fold of a published role; undefined for an unknown role. */
export function foldOfRole(role: string | undefined): Fold | undefined {
  return publishedRoles[role?.toLowerCase() ?? ""];
}

export interface RequestFoldOptions {
  readonly fractions: FoldFractions;
  /** Seed of the hash, 32-bit integer >= 0. */
  readonly seed: number;
  readonly families: Families;
  /**
   * Whether families with examples certify, because they are scored with their examples left out. Default: they are in
   * FIT.
   */
  readonly leftOut?: boolean;
  /** Clusters of the FIT fold of another split that models were fitted on; their requests stay in FIT. */
  readonly keptFit?: readonly string[] | undefined;
  /** Folds of an earlier split, by normalised text. Default: none. */
  readonly earlier?: ReadonlyMap<string, Fold> | undefined;
}

/**
 * Assigns single requests to folds by a hash of seed and family, so that inserting, deleting and relabelling rows does
 * not move other families. A family that models have learned from is in FIT: it contains a catalog example or a request
 * of the preserved FIT fold. If a FIT fold is preserved, the other requests are divided among the remaining folds.
 *
 * An edit can join or divide families. A text of an earlier split therefore stays in its fold, and a new text joins its
 * relatives, or EVAL if these are in several folds, because EVAL does not certify.
 */
export function requestFolds(
  rows: readonly LabelledRequest[],
  { fractions: asked, seed, families, leftOut = false, keptFit, earlier }: RequestFoldOptions,
): ReadonlyMap<SplitUnit, Fold> {
  const kept = new Map((keptFit ?? []).map((cluster) => [cluster, "fit"] as const));
  const fractions = keptFit === undefined ? asked : withoutFit(asked);
  const folds = new Map<SplitUnit, Fold>();
  const isTaught = (index: number): boolean => families.exampleOf[index] !== undefined;
  for (const [family, indices] of groupBy([...rows.keys()], (index) => families.of[index])) {
    const members = indices.map((index) => rows[index]);
    const kin = { fitted: members.some((row) => foldOfRow(row, kept) !== undefined), taught: indices.some(isTaught) };
    const settled = settledFold(kin, leftOut);
    const known = members.flatMap(({ text }) => earlier?.get(normaliseText(text)) ?? []);
    const drawn = known.length === 0 ? foldOfFamily(seed, family, fractions) : sharedFold(known);
    for (const row of members) {
      const own = earlier?.get(normaliseText(row.text)) ?? drawn;
      // Scores of this row have been seen, so it remains a test row even if its text changed.
      const fold = row.slices?.["retained"] === undefined ? (settled ?? own) : "certify";
      folds.set({ clusters: [rowName(row)], rows: [row] }, fold);
    }
  }
  return folds;
}

/** The fold of a family that models were fitted on or that has an example; undefined for any other family. */
function settledFold(
  { fitted, taught }: { readonly fitted: boolean; readonly taught: boolean },
  leftOut: boolean,
): Fold | undefined {
  if (fitted) return "fit";
  if (!taught) return undefined;
  return leftOut ? "certify" : "fit";
}

const sharedFold = (known: readonly Fold[]): Fold => (new Set(known).size === 1 ? known[0] : "eval");

/** EVAL comes first, so that changing the other shares does not change EVAL. */
const hashOrder: readonly Fold[] = ["eval", "certify", "tune", "fit"];

export const foldOfFamily = (seed: number, family: string, fractions: FoldFractions): Fold =>
  foldByHash(`${seed} ${family}`, fractions);

/** The fold of a name, chosen by a uniform number derived from its SHA-256. */
function foldByHash(name: string, fractions: FoldFractions): Fold {
  let left = Number.parseInt(sha256Hex(name).slice(0, 13), 16) / 16 ** 13;
  const found = hashOrder.find((fold) => (left -= fractions[fold]) < 0);
  return found ?? hashOrder.findLast((fold) => fractions[fold] > 0) ?? "eval";
}

/**
 * The published folds: train is FIT, validation is CERTIFY, test is EVAL; TUNE is empty. A request whose text is a
 * catalog example is in FIT regardless of its role.
 * @throws {SluiceError} DOCUMENT_INVALID  a row has no role, or an unknown one
 */
export function roleFolds(rows: readonly LabelledRequest[], catalog: Catalog): ReadonlyMap<SplitUnit, Fold> {
  const isExample = exampleTest(catalog);
  return new Map(
    rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => {
        const fold = isExample(row.text) ? "fit" : publishedFold(row);
        return [{ clusters: [rowName(row)], rows: [row] }, fold] as const;
      }),
  );
}

function publishedFold(row: LabelledRequest): Fold {
  const role = row.slices?.[roleSlice];
  const fold = foldOfRole(role);
  if (fold !== undefined) return fold;
  const found = role === undefined ? "no role" : `the role "${role}"`;
  throw new SluiceError("DOCUMENT_INVALID", `row ${row.id}: found ${found}, expected train, validation or test`, {
    hint: say`Split by request, or import the roles: ${command`sluice dataset import FILE --format table --role-column COLUMN`}`,
  });
}
