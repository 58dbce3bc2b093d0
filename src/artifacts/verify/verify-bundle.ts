import { toCamel } from "../../domain/camel.js";
import type { ManifestPredicate, ManifestPredicateWire } from "../../domain/signed.js";
import { SluiceError } from "../../errors/error.js";
import { bundleFiles, bundleFolders, filesBelow, isApprovalPath } from "../bundle-layout.js";
import { type DirectoryContent, type FileStat, readDirectory } from "../directory-hash.js";
import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../trust-policy.js";
import { checkIdentities } from "./check-identities.js";
import { checkIndex, readIndex } from "./check-index.js";
import { type ApprovalCount, countApprovals } from "./count-approvals.js";
import { type OpenedManifest, openManifest } from "./open-manifest.js";
import { type BundleProblem, problem, problemOf, problemsError } from "./problem.js";

export interface VerifyBundleOptions {
  readonly directory: string;
  /** Canonical JSON of the trust policy that the deployment pins. */
  readonly trustPolicyBytes: Uint8Array;
  readonly environment: string;
  /** Fixed once; every date is compared with it. */
  readonly now: Date;
}

export interface VerifiedApproval {
  readonly principal: string;
  readonly notBefore: Date;
  readonly expires: Date;
}

/** A bundle that passed every check, with the bytes that were checked. */
export interface VerifiedBundle {
  readonly bundleId: string;
  readonly manifest: ManifestPredicate;
  readonly approvals: readonly VerifiedApproval[];
  /** First moment at which the same verification would fail, clock skew included. */
  readonly expiresAt: Date;
  readonly catalogBytes: Buffer;
  readonly calibrationBytes: Buffer;
  readonly policyBytes: Buffer;
  readonly goldenBytes: Buffer;
  /** By path inside the model directory. */
  readonly retrieverFiles: ReadonlyMap<string, Buffer>;
  readonly verifierFiles: ReadonlyMap<string, Buffer>;
  /** Files and folders of the bundle, for `bundleFilesUnchanged`. */
  readonly fileStats: readonly FileStat[];
  /** Approvals that did not count although enough others did. */
  readonly warnings: readonly BundleProblem[];
}

/** Gathers the problems of all checks; a check that throws contributes one and yields null. */
interface Findings {
  readonly problems: BundleProblem[];
}

function attempt<T>(findings: Findings, file: string, check: () => T): T | null {
  try {
    return check();
  } catch (thrown) {
    findings.problems.push(problemOf(thrown, file));
    return null;
  }
}

function requireFile(content: DirectoryContent, path: string): Buffer {
  const bytes = content.files.get(path);
  if (bytes !== undefined) return bytes;
  throw new SluiceError("FILE_MISSING", `${path}: is not there`, { details: { file: path } });
}

function checkIndexFile(findings: Findings, content: DirectoryContent): string | null {
  const index = attempt(findings, bundleFiles.index, () => readIndex(requireFile(content, bundleFiles.index)));
  if (index === null) return null;
  findings.problems.push(...checkIndex(index, content.entries));
  return index.bundle_id;
}

function checkManifest(
  findings: Findings,
  content: DirectoryContent,
  trust: TrustStore,
  now: Date,
): OpenedManifest | null {
  const what = bundleFiles.manifest;
  const manifest = attempt(findings, what, () => openManifest(requireFile(content, what), trust, now, what));
  if (manifest !== null) findings.problems.push(...checkIdentities(manifest.predicate, content.entries));
  return manifest;
}

function checkApprovals(
  content: DirectoryContent,
  manifest: OpenedManifest,
  trust: TrustStore,
  options: VerifyBundleOptions,
): ApprovalCount {
  const files = [...content.files].filter(([path]) => isApprovalPath(path));
  const { environment, now } = options;
  const { bundleId, producers } = manifest;
  return countApprovals(
    files.map(([file, bytes]) => ({ file, bytes })),
    { trust, bundleId, producers, environment, now },
  );
}

/** Several checks may find the same fault in the same file; the first one tells it. */
function withoutRepeats(problems: readonly BundleProblem[]): readonly BundleProblem[] {
  const first = new Map<string, BundleProblem>();
  for (const found of problems) {
    const key = `${found.code} ${found.file}`;
    if (!first.has(key)) first.set(key, found);
  }
  return [...first.values()];
}

function result(
  content: DirectoryContent,
  manifest: OpenedManifest,
  approvals: ApprovalCount,
  expiresAt: number,
): VerifiedBundle {
  return {
    bundleId: manifest.bundleId,
    manifest: toCamel<ManifestPredicateWire>(manifest.predicate),
    approvals: approvals.counted.map(({ principal, notBefore, expires }) => {
      return { principal, notBefore: new Date(notBefore), expires: new Date(expires) };
    }),
    expiresAt: new Date(expiresAt),
    catalogBytes: requireFile(content, bundleFiles.catalog),
    calibrationBytes: requireFile(content, bundleFiles.calibration),
    policyBytes: requireFile(content, bundleFiles.policy),
    goldenBytes: requireFile(content, bundleFiles.golden),
    retrieverFiles: filesBelow(content.files, bundleFolders.retriever),
    verifierFiles: filesBelow(content.files, bundleFolders.verifier),
    fileStats: content.stats,
    warnings: approvals.refusals,
  };
}

async function readContent(directory: string): Promise<DirectoryContent> {
  try {
    return await readDirectory(directory);
  } catch (thrown) {
    throw problemsError(directory, [problemOf(thrown, directory)]);
  }
}

/**
 * Verifies a bundle completely and without network: files against bundle.json and against the signed manifest, the
 * producer's signature, and enough approvals by distinct people for the environment. Every file is read once.
 * @throws {SluiceError} with the code of the first problem; the message names every problem, details.problems lists
 *   them as `{ code, file, message }`. A trust policy that cannot be read ends the verification at once.
 */
export async function verifyBundle(options: VerifyBundleOptions): Promise<VerifiedBundle> {
  const { directory, now } = options;
  const trust = parseTrustPolicy(options.trustPolicyBytes);
  const content = await readContent(directory);
  const findings: Findings = { problems: [] };
  const indexedId = checkIndexFile(findings, content);
  attempt(findings, "trust policy", () => requireCurrentTrust(trust, now));
  const manifest = checkManifest(findings, content, trust, now);
  const approvals = manifest === null ? null : checkApprovals(content, manifest, trust, options);
  if (manifest !== null && indexedId !== null && indexedId !== manifest.bundleId) {
    const text = `bundle_id ${indexedId} is not the digest ${manifest.bundleId} of the manifest`;
    findings.problems.push(problem("IDENTITY_MISMATCH", bundleFiles.index, text));
  }
  findings.problems.push(...(approvals?.problems ?? []));
  const problems = withoutRepeats(findings.problems);
  if (manifest === null || approvals === null || approvals.endsAt === null || problems.length > 0) {
    throw problemsError(directory, problems);
  }
  const skew = trust.clockSkewMs;
  const expiresAt = Math.min(approvals.endsAt, trust.expires + skew, manifest.keyExpires + skew);
  return result(content, manifest, approvals, expiresAt);
}
