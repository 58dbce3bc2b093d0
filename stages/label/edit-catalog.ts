import { isMap, isSeq, parseDocument } from "yaml";
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
  const file = parseDocument(new TextDecoder().decode(bytes), { version: "1.2" });
  const workflows = file.get("workflows");
  const usable = rows.filter(({ text, workflow_id }) => workflow_id !== null && text.length <= most.characters);
  for (const [id, own] of groupBy(usable, ({ workflow_id }) => workflow_id)) {
    const workflow = isSeq(workflows)
      ? workflows.items.find((item) => isMap(item) && item.get("workflow_id") === id)
      : undefined;
    if (!isMap(workflow)) throw new SluiceError("CATALOG_INVALID", `the catalog has no workflow ${id}`);
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
  const edited = Buffer.from(file.toString({ lineWidth: 0 }), "utf8");
  return { bytes: edited, document: parseCatalog(edited, "the edited catalog") };
}
