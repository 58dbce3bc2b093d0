import { type VerifierColumn, verifierColumns } from "../../documents/choices.js";
import { SluiceError } from "../../base/error.js";
import type { ModelFiles } from "../retrieval/model-files.js";

const configFile = "config.json";

/**
 * Compares a label order with the export's description of its output (`id2label` in `config.json`). Passes if the
 * export names no labels, or only meaningless ones (LABEL_0).
 * @throws {SluiceError} MODEL_INVALID
 */
export function checkIdToLabel(files: ModelFiles, labelOrder: readonly VerifierColumn[]): void {
  const named = namedColumns(files.get(configFile));
  if (named === null || named.join() === labelOrder.join()) return;
  const message = `verifier: label_order is [${labelOrder.join(", ")}], but ${configFile} says [${named.join(", ")}]`;
  throw new SluiceError("MODEL_INVALID", message, { hint: `Take the order of id2label in ${configFile}.` });
}

/** Columns by position if every label is known; otherwise null. */
function namedColumns(config: Buffer | undefined): readonly VerifierColumn[] | null {
  if (config === undefined) return null;
  const labels = idToLabel(config);
  const columns = Array.from({ length: labels.size }, (_, id) => knownColumn(labels.get(String(id))));
  const known = columns.filter((column) => column !== null);
  return known.length > 0 && known.length === columns.length ? known : null;
}

/** Labels by position in the output; empty if the export names none. @throws {SluiceError} MODEL_INVALID */
function idToLabel(config: Buffer): ReadonlyMap<string, unknown> {
  const json = parse(config);
  if (typeof json !== "object" || json === null || !("id2label" in json)) return new Map();
  return typeof json.id2label === "object" ? new Map(Object.entries(json.id2label ?? {})) : new Map();
}

function parse(config: Buffer): unknown {
  try {
    return JSON.parse(config.toString("utf8")) as unknown;
  } catch (cause) {
    throw new SluiceError("MODEL_INVALID", `verifier directory: ${configFile} is not well-formed JSON`, { cause });
  }
}

/** The column that a label name stands for; ignores case, spaces and hyphens. */
export function knownColumn(label: unknown): VerifierColumn | null {
  if (typeof label !== "string") return null;
  const name = label.toLowerCase().replace(/[\s-]+/g, "_");
  return verifierColumns.find((column) => column === name) ?? null;
}
