import { comparePaths, dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { ModelRecord } from "./model-record.js";
import { SluiceError } from "../../src/base/error.js";
import { parseModel } from "../../src/router/verification/parse-model.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { saveRecord, type Session } from "./session.js";

/** Saves a model directory in the history and returns the id of its record. @throws {SluiceError} MODEL_INVALID */
export function saveModel(session: Session, role: ModelRecord["role"], files: ModelFiles): string {
  const described = parseModel(files);
  if (described.role !== role) {
    throw new SluiceError("MODEL_INVALID", `model ${described.version} is a ${described.role}, expected a ${role}`);
  }
  const entries = [...files]
    .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }))
    .sort((a, b) => comparePaths(a.path, b.path));
  const { version } = described;
  const record: ModelRecord = { schema_version: 1, role, version, dir_hash1: dirHash1(entries), files: entries };
  const attachments = [...files.values()];
  return saveRecord(session, "model", canonicalBytes(record), attachments).sha256;
}

/**
 * Reads a model directory once, saves it and returns the id of its record.
 * @throws {SluiceError} MODEL_INVALID, and those of `readDirectory`
 */
export async function saveModelFolder(session: Session, role: ModelRecord["role"], folder: string): Promise<string> {
  const { files } = await readDirectory(folder);
  return saveModel(session, role, files);
}
