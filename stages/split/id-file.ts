import { readFile } from "node:fs/promises";
import { idFileBytes, readIdFile } from "../../datasets/draft/id-file.js";
import { writeNewFile } from "../../src/base/files.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";

/** The file that maps labels to workflow ids. */
export interface IdFile {
  /** Ids by label; empty if the file does not exist. */
  readonly ids: ReadonlyMap<string, WorkflowId>;
  /** Writes the file if it does not exist; an existing file, which may have been edited, is not changed. */
  readonly save: (ids: ReadonlyMap<string, WorkflowId>) => Promise<void>;
}

/** @throws {SluiceError} READ_FAILED, SYNTAX_INVALID, SCHEMA_INVALID */
export async function openIdFile(path: string): Promise<IdFile> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "no code"})`, { cause });
  });
  if (bytes !== null) return { ids: readIdFile({ file: path, bytes }), save: async () => undefined };
  return { ids: new Map(), save: async (ids) => writeNewFile(path, idFileBytes(ids), 0o644) };
}
