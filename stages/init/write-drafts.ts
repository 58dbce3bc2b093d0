import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { SluiceError } from "../../src/base/error.js";
import { readIfThere, replaceFile } from "../../src/base/files.js";
import { isObject } from "../../src/base/require-argument.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { projectFileName } from "../../src/documents/choices.js";

/** A file of the project, and whether it was written under its name or as a proposal next to an older file. */
export interface WrittenFile {
  readonly file: string;
  /** `same`: a file with these bytes existed. `replaced`: nobody had edited the older draft. */
  readonly state: "written" | "same" | "replaced" | "proposed";
}

/** Digests of every draft by file name: a file with one of them was not edited by hand. */
type DraftRecord = Readonly<Record<string, readonly string[]>>;

const recordFile = (folder: string): string => join(folder, ".sluice", "drafts.json");
const proposedSuffix = ".proposed";
const fileMode = 0o644;

/** Files that belong together: where one was edited, none is replaced. */
const coupled: ReadonlySet<string> = new Set([projectFileName, "catalog.yaml", "requests.jsonl", "follow-ups.jsonl"]);

/**
 * Writes the drafts of a project into its folder, which has a folder `.sluice`. Older drafts that nobody edited are
 * replaced; otherwise the new draft is written next to the file, with the suffix `.proposed`.
 * @param drafts  bytes by file name
 * @throws {SluiceError} FILE_EXISTS  an earlier proposal was edited; READ_FAILED, WRITE_FAILED
 */
export async function writeDrafts(
  folder: string,
  drafts: ReadonlyMap<string, Buffer>,
): Promise<readonly WrittenFile[]> {
  const record = await readRecord(folder);
  const isDraft = (name: string, bytes: Buffer): boolean => record[name]?.includes(sha256Hex(bytes)) === true;
  const planned = await Promise.all(
    [...drafts].map(async ([name, bytes]) => {
      const existing = await readIfThere(join(folder, name));
      const isEdited = existing !== null && !existing.equals(bytes) && !isDraft(name, existing);
      return { name, bytes, existing, isEdited };
    }),
  );
  const anyEdited = planned.some(({ name, isEdited }) => isEdited && coupled.has(name));
  const files = planned.map((file) => ({ ...file, state: stateOf(file, anyEdited && coupled.has(file.name)) }));
  for (const { name, state } of files) if (state === "proposed") await requireUnedited(folder, name, isDraft);
  await replaceFile(recordFile(folder), canonicalBytes(recordWith(record, drafts)), fileMode);
  const written: WrittenFile[] = [];
  for (const { name, bytes, state } of files) {
    const proposal = join(folder, `${name}${proposedSuffix}`);
    const file = state === "proposed" ? proposal : join(folder, name);
    if (state !== "same") await replaceFile(file, bytes, fileMode);
    const earlier = state === "proposed" ? null : await readIfThere(proposal);
    if (earlier !== null && isDraft(name, earlier)) await rm(proposal);
    written.push({ file, state });
  }
  return written;
}

/** Whether a file of the project is a draft that nobody edited, which a new draft replaces. */
export async function isUneditedDraft(folder: string, name: string, bytes: Buffer): Promise<boolean> {
  return (await readRecord(folder))[name]?.includes(sha256Hex(bytes)) === true;
}

/** Names of the proposals in the folder of a project that nobody has merged yet. */
export async function waitingProposals(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(proposedSuffix)).sort();
}

interface Planned {
  readonly bytes: Buffer;
  readonly existing: Buffer | null;
  readonly isEdited: boolean;
}

function stateOf({ bytes, existing, isEdited }: Planned, anyEdited: boolean): WrittenFile["state"] {
  if (existing === null) return "written";
  if (existing.equals(bytes)) return "same";
  return isEdited || anyEdited ? "proposed" : "replaced";
}

async function requireUnedited(
  folder: string,
  name: string,
  isDraft: (name: string, bytes: Buffer) => boolean,
): Promise<void> {
  const proposal = join(folder, `${name}${proposedSuffix}`);
  const waiting = await readIfThere(proposal);
  if (waiting === null || isDraft(name, waiting)) return;
  throw new SluiceError("FILE_EXISTS", `${proposal}: an earlier proposal was edited and has not been merged`, {
    hint: "Merge the changes you want, delete it, and run the command again.",
  });
}

function recordWith(record: DraftRecord, drafts: ReadonlyMap<string, Buffer>): DraftRecord {
  const added = [...drafts].map(
    ([name, bytes]) => [name, [...new Set([...(record[name] ?? []), sha256Hex(bytes)])]] as const,
  );
  return { ...record, ...Object.fromEntries(added) };
}

/** Without a readable record every file counts as edited. */
async function readRecord(folder: string): Promise<DraftRecord> {
  const bytes = await readIfThere(recordFile(folder));
  if (bytes === null) return {};
  try {
    const record: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isObject(record)) return {};
    return Object.fromEntries(
      Object.entries(record).flatMap(([name, digests]) =>
        Array.isArray(digests) ? [[name, digests.map(String)]] : [],
      ),
    );
  } catch {
    return {};
  }
}
