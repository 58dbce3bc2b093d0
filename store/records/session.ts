import type { HistoryKind } from "../../src/documents/choices.js";
import type { History } from "../history/open.js";
import { type AppendedRecord, appendRecord } from "../history/write.js";
import type { WorkbenchContext } from "../workbench-context.js";
import { utcSeconds } from "../../src/base/text.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { Reference, Stored } from "./read-records.js";
import { createWorkspace } from "../workspace.js";
import { recordReaders } from "./record-readers.js";

/** Context of every stage: an open history, and the command that runs the stage. */
export interface Session {
  readonly history: History;
  readonly actor: string;
  readonly context: WorkbenchContext;
}

/**
 * Saves a record in the history and returns its id. A record that already exists is not saved again.
 * @throws {SluiceError} DOCUMENT_INVALID, CALIBRATION_INVALID, ...  the record does not match the schema of its kind;
 *   nothing was saved
 */
export function saveRecord(
  session: Session,
  kind: HistoryKind,
  record: Uint8Array,
  attachments: readonly Uint8Array[] = [],
): AppendedRecord {
  recordReaders[kind](Buffer.from(record.buffer, record.byteOffset, record.byteLength), `the new ${kind}`);
  return appendRecord(session.history, {
    kind,
    actor: session.actor,
    at: utcSeconds(session.context.clock()),
    record,
    attachments,
  });
}

/**
 * Opens the history of the workspace, runs a function, and closes the history. Only `write` creates workspace and
 * history.
 */
export async function withHistory<T>(
  context: WorkbenchContext,
  access: "read" | "write",
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const { openHistory } = await import("../history/open.js");
  if (access === "write") await createWorkspace(context.workspace);
  const options = access === "write" ? { create: true } : { readOnly: true };
  const history = openHistory(context.workspace.history, options);
  try {
    return await run({ history, actor: context.actor, context });
  } finally {
    history.close();
  }
}

/** A catalog from a file or, by id, from the history; without a reference, the latest one. */
export async function catalogOf(history: History, reference: Reference | undefined): Promise<Stored<Catalog>> {
  const { readCatalog } = await import("./read-records.js");
  if (reference?.kind !== "file") return readCatalog(history, reference?.id);
  const { loadCatalog } = await import("../../src/router/catalog/load.js");
  const { catalog, bytes } = await loadCatalog(reference.path);
  return { sha256: catalog.sha256, bytes, document: catalog };
}

/** Like `catalogOf`, but undefined if none was named and the history has none. */
export async function catalogIfAny(
  history: History,
  reference: Reference | undefined,
): Promise<Stored<Catalog> | undefined> {
  const { latestEntry } = await import("../history/read.js");
  if (reference === undefined && latestEntry(history, "catalog") === undefined) return undefined;
  return catalogOf(history, reference);
}
