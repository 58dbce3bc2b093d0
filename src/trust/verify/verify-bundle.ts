import type { BundleId } from "../../documents/primitives.js";
import type { Manifest } from "../../documents/signed.js";
import { bundleFiles, bundleFolders, filesBelow, isApprovalPath } from "../bundle-layout.js";
import { contentOfFiles, type DirectoryContent, type FileStat, readDirectory } from "../directory-hash.js";
import { requireInPlace } from "../left-behind.js";
import { parseTrustPolicy, requireCurrentTrust, type TrustStore } from "../trust-policy.js";
import { checkContent, requireFile, checkIndex, readIndex } from "./check-contents.js";
import type { ApprovalCount } from "./count-approvals.js";
import type { OpenedManifest } from "./open-manifest.js";
import { type BundleProblem, problemOf, problemsError } from "./problem.js";
import { openRevocations, type Revocations } from "./revocations.js";
import {
  type BundleEnd,
  judgeSigned,
  type SignedParts,
  type SignedQuestion,
  type SignedVerdict,
} from "./verify-signed.js";

/** Inputs to verification. */
export interface BundleQuestion {
  /** Canonical JSON of the trust policy pinned by the deployment. */
  readonly trustPolicyBytes: Uint8Array;
  readonly environment: string;
  /** Revocation list of the deployment, if it has one. */
  readonly revocationBytes?: Uint8Array | null;
  /** Set once; every date is compared with it. */
  readonly now: Date;
}

export interface VerifyBundleOptions extends BundleQuestion {
  readonly directory: string;
}

/** A bundle that passed every check, with the checked bytes. */
export interface VerifiedBundle {
  readonly bundleId: BundleId;
  readonly manifest: Manifest;
  /** Who signed, who still can sign, and which envelopes do not count. */
  readonly approvals: ApprovalCount;
  readonly end: BundleEnd;
  readonly catalogBytes: Buffer;
  readonly calibrationBytes: Buffer;
  readonly policyBytes: Buffer;
  readonly goldenBytes: Buffer;
  /** null if the manifest names none. */
  readonly vectorBytes: Buffer | null;
  /** By path relative to the model directory. */
  readonly retrieverFiles: ReadonlyMap<string, Buffer>;
  readonly verifierFiles: ReadonlyMap<string, Buffer>;
  /** The signed documents and the inputs to judging them, for judging them again. */
  readonly signed: SignedParts;
  readonly question: SignedQuestion;
  /** Files and folders of the bundle, for `bundleFilesUnchanged`. */
  readonly fileStats: readonly FileStat[];
}

/** Collects the problems of all checks. A check that throws adds a problem and returns null. */
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

function checkIndexFile(findings: Findings, content: DirectoryContent): string | null {
  const index = attempt(findings, bundleFiles.index, () => readIndex(requireFile(content, bundleFiles.index)));
  if (index === null) return null;
  findings.problems.push(...checkIndex(index, content.entries));
  return index.bundle_id;
}

const contentProblems = ({ manifest }: SignedVerdict, indexedId: string | null, content: DirectoryContent) =>
  manifest === null ? [] : checkContent(content, indexedId, manifest);

function signedParts(content: DirectoryContent): SignedParts {
  return {
    manifestBytes: requireFile(content, bundleFiles.manifest),
    approvals: new Map([...content.files].filter(([path]) => isApprovalPath(path))),
  };
}

/** Reads the revocation list. If it does not verify, that is a problem, and the bundle is not judged without it. */
function readRevocations(findings: Findings, trust: TrustStore, options: BundleQuestion): Revocations | null {
  const bytes = options.revocationBytes ?? null;
  if (bytes === null) return null;
  return attempt(findings, "revocations", () => openRevocations(bytes, trust, options.now, "revocations"));
}

/** Several checks may find the same fault in the same file; only the first is reported. */
function withoutRepeats(problems: readonly BundleProblem[]): readonly BundleProblem[] {
  const first = new Map<string, BundleProblem>();
  for (const found of problems) {
    const key = `${found.code} ${found.file}`;
    if (!first.has(key)) first.set(key, found);
  }
  return [...first.values()];
}

interface Judged {
  readonly content: DirectoryContent;
  readonly signed: SignedParts;
  readonly question: SignedQuestion;
}

function result(judged: Judged, manifest: OpenedManifest, approvals: ApprovalCount, end: BundleEnd): VerifiedBundle {
  const { content, signed, question } = judged;
  return {
    bundleId: manifest.bundleId,
    manifest: manifest.predicate,
    approvals,
    end,
    catalogBytes: requireFile(content, bundleFiles.catalog),
    calibrationBytes: requireFile(content, bundleFiles.calibration),
    policyBytes: requireFile(content, bundleFiles.policy),
    goldenBytes: requireFile(content, bundleFiles.golden),
    vectorBytes: content.files.get(bundleFiles.vectors) ?? null,
    retrieverFiles: filesBelow(content.files, bundleFolders.retriever),
    verifierFiles: filesBelow(content.files, bundleFolders.verifier),
    signed,
    question,
    fileStats: content.stats,
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
 * Verifies a bundle completely and offline: its files match bundle.json and the signed manifest, the producer's
 * signature is valid, enough distinct people approve it for the environment, and nothing in it is revoked. Reads every
 * file once.
 * @throws {SluiceError} with the code of the first problem; the message names every problem, details.problems lists
 *   them as `{ code, file, message }`. A trust policy that cannot be read ends the verification at once.
 */
export async function verifyBundle(options: VerifyBundleOptions): Promise<VerifiedBundle> {
  const trust = parseTrustPolicy(options.trustPolicyBytes);
  await requireInPlace(options.directory);
  return verifyContent(await readContent(options.directory), options.directory, trust, options);
}

/**
 * The same for files in memory, as returned by `readTar`.
 * @param source  name of the bundle in messages
 * @throws {SluiceError} as `verifyBundle`; FILE_REFUSED
 */
export function verifyBundleFiles(
  files: ReadonlyMap<string, Buffer>,
  source: string,
  question: BundleQuestion,
): VerifiedBundle {
  return verifyContent(contentOfFiles(files), source, parseTrustPolicy(question.trustPolicyBytes), question);
}

function verifyContent(
  content: DirectoryContent,
  directory: string,
  trust: TrustStore,
  options: BundleQuestion,
): VerifiedBundle {
  const { now } = options;
  const findings: Findings = { problems: [] };
  const indexedId = checkIndexFile(findings, content);
  attempt(findings, "trust policy", () => requireCurrentTrust(trust, now));
  const revocations = readRevocations(findings, trust, options);
  const question = { trust, environment: options.environment, now, revocations };
  const signed = attempt(findings, bundleFiles.manifest, () => signedParts(content));
  const verdict = signed === null ? null : judgeSigned(signed, question);
  if (verdict !== null) findings.problems.push(...contentProblems(verdict, indexedId, content), ...verdict.problems);
  const problems = withoutRepeats(findings.problems);
  if (signed === null || verdict === null || problems.length > 0) throw problemsError(directory, problems);
  const { manifest, approvals, end } = verdict;
  if (manifest === null || approvals === null || end === null) throw problemsError(directory, problems);
  return result({ content, signed, question }, manifest, approvals, end);
}
