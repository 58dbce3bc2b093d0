import type { ModelRecord } from "./model-record.js";
import { SluiceError } from "../../src/base/error.js";
import { listEntries } from "../history/read.js";
import { type Reference, readModel } from "./read-records.js";
import { shortId } from "../../src/base/text.js";
import { saveModelFolder } from "./save-model.js";
import type { Session } from "./session.js";
import { shippedFolder } from "../shipped-models.js";

/**
 * The model that the caller named, by id or as a directory, which is then saved; if none was named, the latest of its
 * role, otherwise the shipped one.
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, MODEL_INVALID, and those of reading a directory
 */
export async function modelOf(session: Session, role: ModelRecord["role"], reference: Reference | undefined) {
  const { history } = session;
  if (reference?.kind === "file") return readModel(history, await saveModelFolder(session, role, reference.path));
  if (reference !== undefined) return requireRole(readModel(history, reference.id), role);
  for (const { sha256 } of listEntries(history, { kind: "model" }).toReversed()) {
    const model = readModel(history, sha256);
    if (model.document.role === role) return model;
  }
  return readModel(history, await saveModelFolder(session, role, shippedFolder("default", role)));
}

function requireRole(model: ReturnType<typeof readModel>, role: ModelRecord["role"]): typeof model {
  if (model.document.role === role) return model;
  throw new SluiceError(
    "MODEL_INVALID",
    `model ${shortId(model.sha256)} is a ${model.document.role}, expected a ${role}`,
  );
}
