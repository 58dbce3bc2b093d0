import type { WorkflowId } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";
import type { SourceFile } from "../importers/imported-dataset.js";
import { decodeText } from "../sources/files/decode-text.js";
import { cellText, gridOfText } from "../sources/tables/grid.js";
import { isWorkflowId } from "./workflow-ids.js";
import { csvLine } from "../csv-line.js";

export const idFileName = "workflow-ids.csv";

const header = "label,workflow_id";

/**
 * The file that maps labels to workflow ids, one line per label in map order. Later imports read it, so ids stay
 * stable.
 */
export function idFileBytes(ids: ReadonlyMap<string, string>): Buffer {
  const lines = [...ids].map(csvLine);
  return Buffer.from(`${[header, ...lines].join("\n")}\n`);
}

/**
 * Reads the workflow ids by label from such a file, which may have been edited by hand. Labels with the same id
 * are one workflow.
 * @throws {SluiceError} DOCUMENT_INVALID  an id is invalid, or a label is repeated
 */
export function readIdFile({ file, bytes }: SourceFile): ReadonlyMap<string, WorkflowId> {
  const { rows } = gridOfText(file, decodeText(bytes).text, ",");
  const ids = new Map<string, WorkflowId>();
  for (const { at, cells } of rows.slice(1)) {
    const label = typeof cells[0] === "string" ? cells[0] : "";
    const id = cellText(cells[1]) ?? "";
    if (!isWorkflowId(id)) {
      throw refusal(file, at, `found the id "${id}", expected 3 to 128 of a-z, 0-9, "_", "." and "-", a letter first`);
    }
    if (ids.has(label)) throw refusal(file, at, `the label "${label}" occurs twice`);
    ids.set(label, id);
  }
  return ids;
}

function refusal(file: string, at: string, problem: string): SluiceError {
  return new SluiceError("DOCUMENT_INVALID", `${file}: ${at}: ${problem}`, {
    hint: `Correct this line; the columns are ${header}.`,
  });
}
