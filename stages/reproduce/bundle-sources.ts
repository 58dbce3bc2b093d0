import { fitRowsOf } from "../fit/background-source.js";
import { readScoredTable } from "../../eval/scored-table.js";
import {
  bundleFiles,
  bundleFolders,
  evaluationEvidence,
  recordFiles,
  runEvidence,
} from "../../src/trust/bundle-layout.js";
import { contentOfFiles, type DirectoryContent, readDirectory } from "../../src/trust/directory-hash.js";
import {
  requireFile,
  checkContent,
  type ReadManifest,
  checkIndex,
  readIndex,
} from "../../src/trust/verify/check-contents.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { ModelRecord } from "../../store/records/model-record.js";
import { type Manifest, ManifestSchema, predicateTypes } from "../../src/documents/signed.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { isImported, type Stored } from "../../store/records/read-records.js";
import { recordReaders } from "../../store/records/record-readers.js";
import type { ClaimSources } from "./claim-sources.js";
import { evidenceOf } from "./evidence-of.js";
import { notReproducible } from "./evidence-of.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { bundleIdOf } from "../../src/trust/statements.js";
import { readEnvelope, readStatement } from "../../src/trust/verify/open-envelope.js";
import { problemsError } from "../../src/trust/verify/problem.js";

/** A bundle outside a history: a folder, or the files of an archive. */
export interface BundlePlace {
  readonly directory: string;
  /** Files of an archive; null: the directory is read. */
  readonly files: ReadonlyMap<string, Buffer> | null;
}

const exportHint = say`Export it with its records: ${command`sluice bundle export --with-records`}`;

/**
 * Reads the records of a claim in a bundle. The files of the bundle are compared with its manifest; signatures are not
 * verified.
 * @throws {SluiceError} NOT_REPRODUCIBLE  the bundle contains no records; HASH_MISMATCH and the other errors of
 *   `readUnsigned`
 */
export async function claimSourcesOfBundle({ directory, files }: BundlePlace): Promise<ClaimSources> {
  const content = files === null ? await readDirectory(directory) : contentOfFiles(files);
  const manifest = readUnsigned(content, directory);
  const recordsBytes = content.files.get(recordFiles.scored);
  if (recordsBytes === undefined) throw notReproducible(`${directory}: the bundle contains no records`, exportHint);
  const run = runOf(content);
  const split = kept(content, "split", `${bundleFolders.evidence}split.json`);
  if (split.sha256 !== run.document.split_sha256) {
    const message = `${directory}: the split of the evidence is ${split.sha256}, expected ${run.document.split_sha256} of the run`;
    throw new SluiceError("IDENTITY_MISMATCH", message, { hint: exportHint });
  }
  evidenceOf(manifest, evaluationEvidence);
  const calibration = kept(content, "calibration", bundleFiles.calibration);
  return {
    manifest,
    calibration,
    run,
    evaluation: requireFile(content, `${bundleFolders.evidence}${evaluationEvidence}`),
    split: split.document,
    records: readScoredTable(recordsBytes, recordFiles.scored),
    recordsBytes,
    modelDigest: (role) => modelDigest(manifest.predicate, role, run.document[`${role}_sha256`]),
    fitRows: () =>
      fitRowsOf(calibration.document.fit, (_, kind) =>
        readScoredTable(requireFile(content, recordFiles[kind]), recordFiles[kind]),
      ),
    scoreAgain: () => Promise.reject(withoutDataset(directory)),
  };
}

const withoutDataset = (directory: string): SluiceError =>
  notReproducible(
    `${directory}: bundles contain no request texts, so the dataset cannot be scored again from one`,
    say`Use --from records, or the history of the producer: ${command`sluice reproduce BUNDLE --from scores`}`,
  );

function kept<K extends "split" | "calibration" | "run">(content: DirectoryContent, kind: K, path: string) {
  const bytes = requireFile(content, path);
  const document = recordReaders[kind](bytes, path);
  return { sha256: sha256Hex(bytes), bytes, document } as Stored<ReturnType<(typeof recordReaders)[K]>>;
}

function runOf(content: DirectoryContent): ClaimSources["run"] {
  const path = `${bundleFolders.evidence}${runEvidence}`;
  const { document, ...run } = kept(content, "run", path);
  if (isImported(document)) throw notReproducible(`${path}: the run was imported, expected a run of Sluice models`);
  return { ...run, document };
}

/** The digest of a model, after checking that the run's model record matches the manifest. */
function modelDigest(predicate: Manifest, role: ModelRecord["role"], named: string): string {
  const record: ModelRecord = { schema_version: 1, role, ...predicate[role] };
  return sha256Hex(canonicalBytes(record)) === named ? record.dir_hash1 : `of another model record, ${named}`;
}

/**
 * Reads the manifest of a bundle and checks that its files are exactly those in the manifest. Signatures are not
 * verified: only for readers without a trust policy, never for serving.
 * @param source  how messages refer to the bundle
 * @throws {SluiceError} FILE_MISSING, HASH_MISMATCH, FILE_EXTRA, IDENTITY_MISMATCH; and the errors of `readEnvelope`
 */
function readUnsigned(content: DirectoryContent, source: string): ReadManifest {
  const index = readIndex(requireFile(content, bundleFiles.index));
  const what = bundleFiles.manifest;
  const { payload } = readEnvelope(requireFile(content, what), what);
  const statement = readStatement(payload, predicateTypes.manifest, what);
  const predicate = checkSchema(ManifestSchema, statement.predicate, `${what}: predicate`);
  const manifest = { bundleId: bundleIdOf(payload), predicate };
  const problems = [...checkIndex(index, content.entries), ...checkContent(content, index.bundle_id, manifest)];
  if (problems.length > 0) throw problemsError(source, problems);
  return manifest;
}
