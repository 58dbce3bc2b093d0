import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { BundleId } from "../../src/documents/primitives.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { type BundleIndex, type FileEntry, ManifestSchema, predicateTypes } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { approvalPath, bundleFiles } from "../../src/trust/bundle-layout.js";
import { comparePaths, readDirectory } from "../../src/trust/directory-hash.js";
import { checkRelativePath } from "../../src/trust/file-name.js";
import { bundleIdOf } from "../../src/trust/statements.js";
import { checkIdentities, checkRecords, checkIndex } from "../../src/trust/verify/check-contents.js";
import { readEnvelope, readStatement } from "../../src/trust/verify/open-envelope.js";
import { problemsError } from "../../src/trust/verify/problem.js";
import { writeFolder, type WrittenFolder } from "./write-folder.js";

export interface ExportBundleOptions {
  /** Folder to create; its parent must exist. */
  readonly directory: string;
  readonly manifestEnvelopeBytes: Uint8Array;
  /** Envelopes; each name becomes part of a file name. */
  readonly approvals: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** All other files, by path in the bundle: catalog.yaml, models/retriever/..., evidence/... */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly replace?: boolean;
  /** Checks the staged folder before it is renamed. If it throws, nothing is written or replaced. */
  readonly check?: (staged: string) => Promise<void>;
}

export interface ExportedBundle extends WrittenFolder {
  readonly bundleId: BundleId;
  readonly directory: string;
  readonly files: readonly FileEntry[];
}

function allFiles(options: ExportBundleOptions): ReadonlyMap<string, Uint8Array> {
  const approvals = options.approvals.map(({ name, bytes }) => [approvalPath(name), bytes] as const);
  const files = [...options.files, [bundleFiles.manifest, options.manifestEnvelopeBytes] as const, ...approvals];
  const sorted = files.sort(([a], [b]) => comparePaths(a, b));
  sorted.forEach(([path], i) => {
    checkRelativePath(path);
    if (path === sorted[i - 1]?.[0]) throw new SluiceError("FILE_EXISTS", `${path}: listed twice for one bundle`);
  });
  return new Map(sorted);
}

function buildIndex(options: ExportBundleOptions, files: ReadonlyMap<string, Uint8Array>): BundleIndex {
  const what = bundleFiles.manifest;
  const { payload } = readEnvelope(options.manifestEnvelopeBytes, what);
  const statement = readStatement(payload, predicateTypes.manifest, what);
  const predicate = checkSchema(ManifestSchema, statement.predicate, `${what}: predicate`);
  const entries = [...files].map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }));
  const problems = [...checkIdentities(predicate, entries), ...checkRecords(files, entries)];
  if (problems.length > 0) throw problemsError(options.directory, problems);
  return { schema_version: 1, bundle_id: bundleIdOf(payload), files: entries };
}

async function requireWritten(staging: string, index: BundleIndex): Promise<void> {
  const { entries } = await readDirectory(staging);
  const problems = checkIndex(index, entries);
  if (problems.length > 0) throw problemsError(staging, problems);
}

/**
 * Writes a bundle atomically: stages it next to its destination, flushes it, reads it back and renames it. Approval is
 * not checked here, except by `check`.
 * @throws {SluiceError} FILE_EXISTS, FILE_REFUSED, WRITE_FAILED; HASH_MISMATCH, FILE_MISSING, FILE_EXTRA when `files`
 *   differ from those in the manifest; the codes of `readEnvelope` and of `check`
 */
export async function exportBundle(options: ExportBundleOptions): Promise<ExportedBundle> {
  const files = allFiles(options);
  const index = buildIndex(options, files);
  const { directory, replace = false } = options;
  const written = await writeFolder({
    directory,
    files: new Map([...files, [bundleFiles.index, canonicalBytes(index)]]),
    replace,
    check: async (staged) => {
      await requireWritten(staged, index);
      await options.check?.(staged);
    },
  });
  return { ...written, bundleId: index.bundle_id, directory, files: index.files };
}
