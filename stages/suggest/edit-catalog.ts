import { isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { parseCatalog } from "../../src/router/catalog/load.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { SluiceError } from "../../src/base/error.js";
import type { CatalogChange, Gain, MeasuredSuggestion } from "./choose-suggestions.js";
import { writeNewFile } from "../../src/base/files.js";

/** Limits in the catalog schema that a change could exceed. */
const mostItems = { examples: 50, capabilities: 30 } as const;
type TextList = keyof typeof mostItems;
const longestDescription = 2000;

/** An edited catalog: its file, including comments, and its parsed content. */
export interface EditedCatalog {
  readonly bytes: Buffer;
  readonly document: Catalog;
}

type Document = ReturnType<typeof parseDocument>;

/**
 * Applies changes to a catalog file in order; comments and all other content are preserved. A full list is not
 * extended.
 * @throws {SluiceError} DOCUMENT_INVALID, CATALOG_INVALID
 */
export function editCatalog(bytes: Uint8Array, changes: readonly CatalogChange[]): EditedCatalog {
  const document = parseDocument(new TextDecoder().decode(bytes), { version: "1.2" });
  for (const change of changes) apply(document, change);
  const edited = Buffer.from(document.toString({ lineWidth: 0 }), "utf8");
  return { bytes: edited, document: parseCatalog(edited, "the edited catalog") };
}

function apply(document: Document, change: CatalogChange): void {
  switch (change.kind) {
    case "add_examples":
      return append(document, workflowOf(document, change.workflow_id), "examples", change.examples);
    case "move_example":
      remove(workflowOf(document, change.from), change.example);
      return append(document, workflowOf(document, change.to), "examples", [change.example]);
    case "describe": {
      const workflow = workflowOf(document, change.workflow_id);
      return append(document, workflow, "capabilities", [change.capability]);
    }
    case "merge":
      return merge(document, change);
  }
}

function merge(document: Document, { into, from }: Extract<CatalogChange, { kind: "merge" }>): void {
  const [kept, gone] = [workflowOf(document, into), workflowOf(document, from)];
  append(document, kept, "examples", textsOf(gone, "examples"));
  append(document, kept, "capabilities", textsOf(gone, "capabilities"));
  const description = `${String(kept.get("description"))} ${String(gone.get("description"))}`;
  if (description.length <= longestDescription) kept.set("description", description);
  const list = workflowsOf(document);
  list.delete(list.items.indexOf(gone));
}

function workflowsOf(document: Document): YAMLSeq {
  const list = document.get("workflows");
  if (isSeq(list)) return list;
  throw new SluiceError("CATALOG_INVALID", "the catalog has no list of workflows");
}

function workflowOf(document: Document, workflowId: string): YAMLMap {
  const found = workflowsOf(document).items.find((item) => isMap(item) && item.get("workflow_id") === workflowId);
  if (isMap(found)) return found;
  throw new SluiceError("CATALOG_INVALID", `the catalog has no workflow ${workflowId}`, {
    hint: "Omit suggestions for workflows that another suggestion merges.",
  });
}

function textsOf(workflow: YAMLMap, field: TextList): readonly string[] {
  const list = workflow.get(field);
  return isSeq(list) ? (list.toJSON() as readonly unknown[]).map(String) : [];
}

function append(document: Document, workflow: YAMLMap, field: TextList, texts: readonly string[]): void {
  const known = textsOf(workflow, field);
  const added = texts.filter((text) => !known.includes(text)).slice(0, Math.max(0, mostItems[field] - known.length));
  if (added.length === 0) return;
  const list = workflow.get(field);
  if (isSeq(list)) for (const text of added) list.add(document.createNode(text));
  else workflow.set(field, document.createNode(added));
}

function remove(workflow: YAMLMap, example: string): void {
  const list = workflow.get("examples");
  if (!isSeq(list)) return;
  const index = textsOf(workflow, "examples").indexOf(example);
  if (index >= 0) list.delete(index);
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
