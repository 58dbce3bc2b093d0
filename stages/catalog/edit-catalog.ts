import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from "yaml";
import { textKey } from "../../datasets/near-duplicates.js";
import { SluiceError } from "../../src/base/error.js";
import { groupBy } from "../../src/base/group-by.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { parseCatalog } from "../../src/router/catalog/load.js";

/** Limits of a catalog: examples of a workflow, and characters of an example. */
const most = { examples: 50, characters: 1000 } as const;

/**
 * Adds labelled texts to the examples of a catalog file; comments and all other content are preserved. A full list is not
 * extended, and long texts and those without a workflow are left out.
 * @returns the edited file, and its parsed content
 * @throws {SluiceError} DOCUMENT_INVALID, CATALOG_INVALID
 */
export function withExamples(bytes: Uint8Array, rows: readonly LabelledRequest[]) {
  const file = openCatalog(bytes);
  addExamples(file, rows);
  return closeCatalog(file);
}

/**
 * Moves examples to the workflow of a row with the same text, or out of the catalog if that has no workflow. Texts that
 * are no examples are not added.
 * @returns the edited file, and the workflow that each example left
 * @throws {SluiceError} as `withExamples`
 */
export function withMovedExamples(bytes: Uint8Array, rows: readonly LabelledRequest[]) {
  const file = openCatalog(bytes);
  const right = new Map(rows.map((row) => [textKey(row.text), row]));
  const left = new Map<LabelledRequest, string>();
  for (const workflow of workflowsOf(file)) {
    const [id, list] = [workflow.get("workflow_id"), workflow.get("examples")];
    if (typeof id !== "string" || !isSeq(list)) continue;
    const texts = list.toJSON() as unknown[];
    for (const [index, text] of [...texts.entries()].toReversed()) {
      const row = typeof text === "string" ? right.get(textKey(text)) : undefined;
      if (row === undefined || row.workflow_id === id) continue;
      list.delete(index);
      left.set(row, id);
    }
  }
  addExamples(file, [...left.keys()]);
  return { ...closeCatalog(file), left };
}

/** A catalog file with another version; every other byte remains as it is. */
export function withCatalogVersion(bytes: Uint8Array, version: string): Buffer {
  const text = new TextDecoder().decode(bytes);
  const node = parseDocument(text, { version: "1.2" }).get("catalog_version", true);
  if (!isScalar(node) || !Array.isArray(node.range)) throw new SluiceError("CATALOG_INVALID", "no catalog_version");
  const [start, end] = node.range;
  return Buffer.from(`${text.slice(0, start)}${JSON.stringify(version)}${text.slice(end)}`);
}

const openCatalog = (bytes: Uint8Array): Document => parseDocument(new TextDecoder().decode(bytes), { version: "1.2" });

function closeCatalog(file: Document) {
  const edited = Buffer.from(file.toString({ lineWidth: 0 }), "utf8");
  return { bytes: edited, document: parseCatalog(edited, "the edited catalog") };
}

function workflowsOf(file: Document): readonly YAMLMap[] {
  const workflows = file.get("workflows");
  return isSeq(workflows) ? workflows.items.filter((item) => isMap(item)) : [];
}

function addExamples(file: Document, rows: readonly LabelledRequest[]): void {
  const usable = rows.filter(({ text, workflow_id }) => workflow_id !== null && text.length <= most.characters);
  for (const [id, own] of groupBy(usable, ({ workflow_id }) => workflow_id)) {
    const workflow = workflowsOf(file).find((item) => item.get("workflow_id") === id);
    if (workflow === undefined) throw new SluiceError("CATALOG_INVALID", `the catalog has no workflow ${id}`);
    const list = workflow.get("examples");
    const known: readonly unknown[] = isSeq(list) ? (list.toJSON() as unknown[]) : [];
    const texts = own.map(({ text }) => text).filter((text) => !known.includes(text));
    const added = texts.slice(0, Math.max(0, most.examples - known.length));
    if (isSeq(list)) {
      // An empty list is drafted as [], which would put every example on one line.
      if (known.length === 0) list.flow = false;
      for (const text of added) list.add(file.createNode(text));
    } else if (added.length > 0) workflow.set("examples", file.createNode(added));
  }
}
