import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../src/base/canonical-json.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { SluiceError, toSluiceError } from "../src/base/error.js";

/** Finished parts of an interruptible job, each with an id; by default the records of a run. */
export interface ResumeLog<T extends { readonly id: string } = ScoredRecord> {
  /** Parts that earlier attempts finished, by id. */
  readonly done: ReadonlyMap<string, T>;
  /** Stores one finished record durably. */
  append(record: T): void;
  /** Deletes the file; called once the run is stored. */
  remove(): void;
}

/**
 * Opens the resume file of a run: `<inputs digest>.jsonl` in a folder for unfinished runs, which is created if missing.
 * Different inputs have a different digest, so records cannot be mixed up. A last line truncated by a crash is dropped.
 * Not safe for concurrent processes.
 *
 * @param inputsSha256  digest of everything that determines the records: dataset, split, catalog, models, policy
 * @throws {SluiceError} READ_FAILED, WRITE_FAILED
 */
export function openResumeLog<T extends { readonly id: string } = ScoredRecord>(
  folder: string,
  inputsSha256: string,
): ResumeLog<T> {
  const path = join(folder, `${inputsSha256}.jsonl`);
  const done = new Map<string, T>();
  writing(path, () => mkdirSync(folder, { recursive: true }));
  const content = existsSync(path) ? readPart(path) : Buffer.alloc(0);
  const complete = content.subarray(0, content.lastIndexOf(0x0a) + 1);
  if (content.length === 0) writing(path, () => writeFileSync(path, ""));
  else writing(path, () => truncateSync(path, complete.length));
  for (const line of complete.toString("utf8").split("\n")) {
    if (line === "") continue;
    const record = parseRecord<T>(line, path);
    done.set(record.id, record);
  }
  return {
    done,
    append: (record) => writing(path, () => appendFileSync(path, `${canonicalJson(record)}\n`)),
    remove: () => writing(path, () => rmSync(path, { force: true })),
  };
}

function readPart(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SluiceError("READ_FAILED", `${path}: ${toSluiceError(cause).message}`, { cause });
  }
}

/** This program wrote the file and its name is the digest of the inputs, so only the syntax is checked. */
function parseRecord<T>(line: string, path: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw new SluiceError("READ_FAILED", `${path}: a line is not JSON`, {
      hint: `Delete the file to score from the start: rm ${path}`,
      cause,
    });
  }
}

function writing(path: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    throw new SluiceError("WRITE_FAILED", `${path}: ${toSluiceError(cause).message}`, {
      hint: "Free disk space or choose another workspace folder.",
      cause,
    });
  }
}
