import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import { sha256Hex } from "../src/base/sha256.js";
import { type AlikeTexts, examplesOf, familiesOf } from "./families.js";

/** Rows that are scored together against a catalog without the examples of their families. */
export interface LeftOutPart {
  /** Ids of the rows. */
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
}

/**
 * Divides rows so that each is scored as a new request even if its text is an example: the catalog of its part has no
 * example of its family. Rows without a related example are scored against the whole catalog. The parts depend only on
 * texts and groups.
 */
export function leftOutParts(
  rows: readonly LabelledRequest[],
  catalog: Catalog,
  { parts = defaultLeftOutParts, isTested = () => true, alike }: LeftOutOptions = {},
): readonly LeftOutPart[] {
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
