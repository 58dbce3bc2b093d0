import { writeNewFile } from "../../src/base/files.js";
import { SluiceError } from "../../src/base/error.js";
import type { CatalogChange, Gain, MeasuredSuggestion } from "./suggestion.js";
import { editCatalog } from "./edit-catalog.js";

/** A catalog file with some suggestions applied. */
export interface CatalogProposal {
  readonly file: string;
  /** 1-based numbers of the applied suggestions. */
  readonly taken: readonly number[];
  /** Combined gain of the applied suggestions. */
  readonly gain: Gain;
  /** Ids of requests that became examples and must be removed from the measuring requests. */
  readonly requests: readonly string[];
}

/** A catalog with suggestions, and a function that measures a set of changes. */
interface MeasuredCatalog {
  readonly catalog: { readonly bytes: Uint8Array };
  readonly suggestions: readonly MeasuredSuggestion[];
  readonly measure: (changes: readonly CatalogChange[]) => Promise<Gain>;
}

const fileMode = 0o644;

/**
 * Writes a copy of the catalog with suggestions applied; comments are preserved. Existing files are not replaced.
 * @param take  numbers of suggestions; undefined: those with a demonstrated gain
 * @throws {SluiceError} USAGE  there are no suggestions, a number does not exist, or no gain is demonstrated;
 *   FILE_EXISTS, WRITE_FAILED; CATALOG_INVALID  suggestions are incompatible
 */
export async function proposeCatalog(
  { catalog, suggestions, measure }: MeasuredCatalog,
  { file, take }: { readonly file: string; readonly take: readonly number[] | undefined },
): Promise<CatalogProposal> {
  if (suggestions.length === 0) {
    throw new SluiceError("USAGE", "there is no suggestion to take", {
      hint: "Run the command without --out and --take to see why.",
    });
  }
  const taken = take ?? shownGains(suggestions);
  const chosen = taken.map((number) => requireSuggestion(suggestions, number));
  const changes = chosen.flatMap((suggestion) => suggestion.changes);
  const edited = editCatalog(catalog.bytes, changes);
  const gain = await measure(changes);
  await writeNewFile(file, edited.bytes, fileMode);
  return { file, taken, gain, requests: [...new Set(chosen.flatMap(({ requests }) => requests))] };
}

function shownGains(suggestions: readonly MeasuredSuggestion[]): readonly number[] {
  const shown = suggestions.flatMap(({ gain }, index) => (gain.verdict === "a_better" ? [index + 1] : []));
  if (shown.length > 0) return shown;
  throw new SluiceError("USAGE", "no suggestion has a measured gain, so none is applied by default", {
    hint: "Select suggestions by number: --take 1,2",
  });
}

function requireSuggestion(suggestions: readonly MeasuredSuggestion[], number: number): MeasuredSuggestion {
  const found = suggestions[number - 1];
  if (found !== undefined) return found;
  throw new SluiceError("USAGE", `--take: found ${number}, expected a number from 1 to ${suggestions.length}`, {
    hint: "Run the command without --out to see the numbers.",
  });
}
