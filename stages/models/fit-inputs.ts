import { linesOf } from "../../datasets/read-lines.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { modelOf } from "../../store/records/model-of.js";
import type { Reference } from "../../store/records/reference.js";
import type { Session } from "../../store/records/session.js";
import { shippedFolder } from "../../store/shipped-models.js";
import { readInput } from "../../src/base/files.js";

/** Files of the given retriever, or of the shipped one. @throws {SluiceError} those of `modelOf` */
export async function retrieverToFitFor(session: Session, reference: Reference | undefined): Promise<ModelFiles> {
  if (reference !== undefined) return (await modelOf(session, "retriever", reference)).files;
  return (await readDirectory(shippedFolder("default", "retriever"))).files;
}

/** Texts of a file, one a line, plain or gzip; none without a file. @throws {SluiceError} those of reading */
export async function readBackground(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  return linesOf(await readInput(file), file);
}
