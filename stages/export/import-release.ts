import { verifyBundle } from "../../src/trust/verify/verify-bundle.js";
import { SluiceError } from "../../src/base/error.js";
import { requireStart } from "../../src/router/start/start-checks.js";
import { readPacked } from "../../release/bundle-files/read-packed.js";
import { writeFolder } from "../../release/bundle-files/write-folder.js";
import { type JudgeFiles, namesOf } from "../project/decision-judge.js";
import { importRecord } from "./import-record.js";
import { type StoredSigned, saveSigned } from "../../release/save-signed.js";
import { readRevocations } from "../../release/read-revocations.js";
import { readTrust } from "../../release/read-trust.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** What is unpacked, and where. */
export interface ImportReleaseOptions extends JudgeFiles {
  /** Archive or OCI layout of `exportRelease`. */
  readonly archive: string;
  /** Folder to create. */
  readonly directory: string;
}

/** A bundle that was unpacked, and its entry in the history. */
export interface ImportedRelease extends StoredSigned {
  readonly bundleId: string;
}

/**
 * Unpacks an archive or an OCI layout into a folder when it verifies, whole or not at all.
 *
 * @example await importRelease(workbench, { archive: "bundle.tar", directory: "/srv/bundle" });
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_EXISTS; THRESHOLD_NOT_MET and the other codes of verifying
 */
export async function importRelease(
  workbench: WorkbenchContext,
  options: ImportReleaseOptions,
): Promise<ImportedRelease> {
  const { archive, directory, environment = "production" } = options;
  const question = {
    trustPolicyBytes: await readTrust(workbench, options.trustFile),
    revocationBytes: await readRevocations(workbench, namesOf(options)),
    environment,
    now: new Date(workbench.clock()),
  };
  const files = await readPacked(archive);
  if (files === null) {
    throw new SluiceError("FILE_NOT_FOUND", `${archive}: neither an archive nor an OCI layout`, {
      hint: "Check the path; a folder that bundle export --out wrote needs no import.",
    });
  }
  let bundleId = "";
  const check = async (staged: string): Promise<void> => {
    const verified = await verifyBundle({ directory: staged, ...question });
    requireStart(verified);
    bundleId = verified.bundleId;
  };
  await writeFolder({ files, directory, check });
  const bytes = importRecord(bundleId, environment, files);
  const document = { kind: "import", actor: workbench.actor, bytes } as const;
  return { bundleId, ...(await saveSigned(workbench, document, `${directory}: imported`)) };
}
