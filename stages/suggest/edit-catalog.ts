import { isMap, isSeq, parseDocument } from "yaml";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { SluiceError } from "../../src/base/error.js";
import type { CatalogChange, Gain, MeasuredSuggestion } from "./choose-suggestions.js";
import { writeNewFile } from "../../src/base/files.js";

const mostExamples = 50;

/**
 * Adds examples to a catalog file; comments and all other content are preserved. A full list is not extended.
 * @returns the edited file, and its parsed content
 * @throws {SluiceError} DOCUMENT_INVALID, CATALOG_INVALID
 */
export function editCatalog(bytes: Uint8Array, changes: readonly CatalogChange[]) {
  const file = parseDocument(new TextDecoder().decode(bytes), { version: "1.2" });
  const workflows = file.get("workflows");
  for (const { workflow_id: id, examples } of changes) {
    const workflow = isSeq(workflows)
      ? workflows.items.find((item) => isMap(item) && item.get("workflow_id") === id)
      : undefined;
    if (!isMap(workflow)) throw new SluiceError("CATALOG_INVALID", `the catalog has no workflow ${id}`);
    const list = workflow.get("examples");
    const known: readonly unknown[] = isSeq(list) ? (list.toJSON() as unknown[]) : [];
    const added = examples.filter((text) => !known.includes(text)).slice(0, Math.max(0, mostExamples - known.length));
    if (isSeq(list)) for (const text of added) list.add(file.createNode(text));
    else if (added.length > 0) workflow.set("examples", file.createNode(added));
  }
  const edited = Buffer.from(file.toString({ lineWidth: 0 }), "utf8");
  return { bytes: edited, document: parseCatalog(edited, "the edited catalog") };
}

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
 *   FILE_EXISTS, WRITE_FAILED
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
