import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { sha256Hex } from "../src/base/sha256.js";
import { type AlikeTexts, examplesOf, familiesOf } from "./families.js";
import { foldOfRow, type Split } from "../src/documents/split.js";
import { drawnSplit, leftOutSplit } from "./split-by-request.js";
import { foldOf } from "./split-by-workflow.js";

/** Rows that are scored together against a catalog without the examples of their families. */
export interface LeftOutPart {
  readonly rows: ReadonlySet<string>;
  readonly catalog: Catalog;
}

/**
 * Default number of parts. The families of a part are left out together, which can only make scores slightly worse than
 * with the shipped catalog, never better.
 */
export const defaultLeftOutParts = 16;

export interface LeftOutOptions {
  /** Number of parts. Default `defaultLeftOutParts`. */
  readonly parts?: number;
  /** Texts with the same meaning, from the split. Default: families are determined by words alone. */
  readonly alike?: AlikeTexts | undefined;
  /** Selects the rows that certify; all other rows are scored against the whole catalog. Default: all rows. */
  readonly isTested?: (row: LabelledRequest) => boolean;
  /** Rows that form families. Default "all". With "tested", the scores of tested rows do not depend on the others. */
  readonly formsFamilies?: "all" | "tested";
}

/**
 * Divides rows so that each is scored as a new request even if its text is an example: the catalog of its part has no
 * example of its family. Rows without a related example are scored against the whole catalog. The parts depend only on
 * texts and groups.
 */
export function leftOutParts(
  rows: readonly LabelledRequest[],
  catalog: Catalog,
  { parts = defaultLeftOutParts, isTested = () => true, alike, formsFamilies = "all" }: LeftOutOptions = {},
): readonly LeftOutPart[] {
  if (formsFamilies === "tested") {
    const others = rows.filter((row) => !isTested(row));
    const whole = { rows: new Set(others.map(({ id }) => id)), catalog };
    return [...(others.length === 0 ? [] : [whole]), ...leftOutParts(rows.filter(isTested), catalog, { parts, alike })];
  }
  const { of, ofExample } = familiesOf({ rows, examples: examplesOf(catalog), alike });
  const withExample = new Set(ofExample);
  const tested = rows.map(isTested);
  const names = [...new Set(of.filter((name, index) => tested[index] && withExample.has(name)))].sort(byDigest);
  const partOf = new Map(names.map((name, index) => [name, index % parts] as const));
  const all = [undefined, ...Array.from({ length: Math.min(parts, names.length) }, (_, part) => part)];
  return all
    .map((part) => ({
      rows: new Set(
        rows.filter((_, index) => (tested[index] ? partOf.get(of[index]) : undefined) === part).map(({ id }) => id),
      ),
      catalog: part === undefined ? catalog : without(catalog, (index) => partOf.get(ofExample[index]) === part),
    }))
    .filter((one) => one.rows.size > 0);
}

const byDigest = (a: string, b: string): number => (sha256Hex(a) < sha256Hex(b) ? -1 : 1);

/** @param isLeftOut  receives the index of an example among all examples of the catalog */
function without(catalog: Catalog, isLeftOut: (index: number) => boolean): Catalog {
  let index = 0;
  const workflows = catalog.workflows.map((workflow) => ({
    ...workflow,
    examples: workflow.examples.filter(() => !isLeftOut(index++)),
  }));
  return { ...catalog, workflows };
}

/**
 * Whether test rows of a split may be relatives of catalog examples, so that their families must be left out when they
 * are scored. This is the case if every text is used twice, or if rows that became examples remained test rows.
 */
export const scoresLeftOut = ({ disjoint_by: by, retained = 0 }: Split): boolean =>
  by === leftOutSplit || by === drawnSplit || (by === "request" && retained > 0);

/** The options for leaving out families under a split: its tested rows and its texts with the same meaning. */
export function leftOutOf(split: Split): LeftOutOptions {
  if (split.disjoint_by !== drawnSplit) return { isTested: isTestedIn(split), alike: split.alike };
  const folds = foldOf(split);
  return { isTested: (row) => foldOfRow(row, folds) === "tune", formsFamilies: "tested" };
}

/** Whether a row of a split is used to certify. */
export function isTestedIn(split: Split): (row: LabelledRequest) => boolean {
  const folds = foldOf(split);
  return (row) => {
    const fold = foldOfRow(row, folds);
    return fold === "certify" || fold === "tune";
  };
}
