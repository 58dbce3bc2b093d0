import type { Catalog } from "../src/domain/catalog.js";
import type { Dataset } from "../src/domain/dataset.js";
import type { HistoryKind } from "../src/domain/history-kind.js";
import type { SplitWire } from "../src/domain/split.js";
import { SluiceError } from "../src/errors/error.js";
import type { HistoryEntry } from "../src/history/entry.js";
import type { History } from "../src/history/open.js";
import type { Blob } from "../src/history/write.js";
import type { CommandContext } from "./context.js";
import type { Reference } from "./parsers.js";
import { utcSeconds } from "./timestamp.js";
import { createWorkspace } from "./workspace.js";

/** How ids are printed; every command accepts this form. */
export const shortId = (sha256: string): string => sha256.slice(0, 12);

/** Media types of records. */
export const media = { json: "application/json", jsonl: "application/jsonl", yaml: "application/yaml" } as const;

/** How to get the first record of a kind. */
const originOf: Partial<Record<HistoryKind, string>> = {
  catalog: "sluice dataset import FILE --format jsonl --catalog FILE",
  dataset: "sluice dataset import FILE --format jsonl",
  split: "sluice dataset split",
  model: "sluice model fit-lexical",
  run: "sluice eval run",
  calibration: "sluice calibrate fit",
  manifest: "sluice manifest create",
};

/** Opens the history of the workspace, runs, and closes it. Only `write` creates the workspace and the history. */
export async function withHistory<T>(
  context: Pick<CommandContext, "workspace">,
  access: "read" | "write",
  run: (history: History) => Promise<T>,
): Promise<T> {
  const { openHistory } = await import("../src/history/open.js");
  if (access === "write") await createWorkspace(context.workspace);
  const options = access === "write" ? { create: true } : { readOnly: true };
  const history = openHistory(context.workspace.history, options);
  try {
    return await run(history);
  } finally {
    history.close();
  }
}

export interface RecordToKeep {
  readonly kind: HistoryKind;
  readonly bytes: Uint8Array;
  readonly media: string;
  readonly attachments?: readonly Blob[];
}

/** Appends a record in the name of the actor; a record that is there already is not written again. Returns its id. */
export async function keepRecord(context: CommandContext, history: History, record: RecordToKeep): Promise<string> {
  const { appendRecord } = await import("../src/history/write.js");
  const { kind, bytes, attachments = [] } = record;
  const at = utcSeconds(context.clock());
  const { actor } = context;
  return appendRecord(history, { kind, actor, at, record: bytes, media: record.media, attachments }).sha256;
}

/**
 * The entry that the caller named, or the latest of its kind.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export async function entryOf(history: History, kind: HistoryKind, id: string | undefined): Promise<HistoryEntry> {
  const { latestEntry, resolveRecord } = await import("../src/history/read.js");
  if (id !== undefined) return resolveRecord(history, kind, id);
  const latest = latestEntry(history, kind);
  if (latest !== undefined) return latest;
  const origin = originOf[kind];
  throw new SluiceError("RECORD_NOT_FOUND", `${history.path}: has no ${kind} yet`, {
    hint: origin === undefined ? "Run: sluice history log" : `Run: ${origin}`,
  });
}

/** Bytes of a record. @throws {SluiceError} RECORD_NOT_FOUND, ENTRY_TAMPERED */
export async function recordBytes(history: History, sha256: string): Promise<Buffer> {
  const { getBlob } = await import("../src/history/read.js");
  return getBlob(history, sha256);
}

/** A catalog with its exact bytes. */
export interface CatalogWithBytes {
  readonly catalog: Catalog;
  readonly bytes: Uint8Array;
}

/** A catalog from a file, from the history by id, or the latest one. */
export async function catalogOf(history: History, reference: Reference | undefined): Promise<CatalogWithBytes> {
  const { loadCatalog, parseCatalog } = await import("../src/catalog/load.js");
  if (reference?.kind === "file") return loadCatalog(reference.path);
  const { sha256 } = await entryOf(history, "catalog", reference?.id);
  const bytes = await recordBytes(history, sha256);
  return { catalog: parseCatalog(bytes, `catalog ${shortId(sha256)}`), bytes };
}

/** As `catalogOf`, or undefined when none was named and the history has none. */
export async function catalogIfAny(
  history: History,
  reference: Reference | undefined,
): Promise<CatalogWithBytes | undefined> {
  const { latestEntry } = await import("../src/history/read.js");
  if (reference === undefined && latestEntry(history, "catalog") === undefined) return undefined;
  return catalogOf(history, reference);
}

/** A data set by id, or the latest one. */
export async function datasetOf(history: History, id: string | undefined): Promise<Dataset> {
  const { readJsonl } = await import("../datasets/read-jsonl.js");
  const { sha256 } = await entryOf(history, "dataset", id);
  return { sha256, rows: readJsonl(await recordBytes(history, sha256), `dataset ${shortId(sha256)}`) };
}

/** A split by id, or the latest one. */
export async function splitOf(
  history: History,
  id: string | undefined,
): Promise<{ readonly sha256: string; readonly split: SplitWire }> {
  const { checkSchema } = await import("../src/domain/check-schema.js");
  const { SplitSchema } = await import("../src/domain/split.js");
  const { sha256 } = await entryOf(history, "split", id);
  const value: unknown = JSON.parse((await recordBytes(history, sha256)).toString("utf8"));
  return { sha256, split: checkSchema(SplitSchema, value, `split ${shortId(sha256)}`) };
}
