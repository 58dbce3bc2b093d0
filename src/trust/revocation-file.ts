import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readStoredFile } from "../base/files.js";
import { SluiceError } from "../base/error.js";
import { maxEnvelopeBytes } from "./statements.js";

/** State of a file when it was read; if it differs, the file must be read again. */
export interface FileMark {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export interface ReadRevocations {
  readonly bytes: Buffer;
  readonly mark: FileMark;
}

const fields = ["ino", "size", "mtimeNs", "ctimeNs"] as const;

const isSame = (a: FileMark, b: FileMark): boolean => fields.every((field) => a[field] === b[field]);

/** Whether a file is unchanged; also false if that cannot be checked. Takes a few microseconds. */
export function isAsRead(path: string, mark: FileMark): boolean {
  try {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now !== undefined && isSame(now, mark);
  } catch {
    return false;
  }
}

/** Where a revocation list lies that nobody named: next to the trust policy. */
export const revocationsNextTo = (trust: string): string => join(dirname(trust), "revocations.json");

/**
 * Reads the file of a revocation list. Follows links, because mounted configuration often uses them.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED, FILE_REFUSED, TOO_LARGE, FILE_CHANGED
 */
export async function readRevocationFile(path: string): Promise<ReadRevocations> {
  try {
    const mark = await stat(path, { bigint: true });
    if (mark.size > maxEnvelopeBytes) {
      throw new SluiceError("TOO_LARGE", `${path}: ${mark.size} bytes, at most ${maxEnvelopeBytes} are accepted`);
    }
    const bytes = await readStoredFile(path, { maxBytes: maxEnvelopeBytes, followLinks: true });
    if (isSame(mark, await stat(path, { bigint: true }))) return { bytes, mark };
    throw new SluiceError("FILE_CHANGED", `${path}: changed while it was being read`);
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const missing = code === "ENOENT";
    const text = missing ? "no revocation list found" : `the revocation list cannot be read (${code})`;
    throw new SluiceError(missing ? "FILE_NOT_FOUND" : "READ_FAILED", `${path}: ${text}`, {
      hint: "Put the current list there; a revoker writes it with the command revoke",
      cause,
    });
  }
}
