import { bundleFiles } from "../../trust/bundle-layout.js";
import { readDirectory } from "../../trust/directory-hash.js";
import { parseTrustPolicy } from "../../trust/trust-policy.js";
import { openManifest } from "../../trust/verify/open-manifest.js";
import type { BundleProblem } from "../../trust/verify/problem.js";
import {
  type BundleQuestion,
  type VerifiedBundle,
  verifyBundle,
  verifyBundleFiles,
} from "../../trust/verify/verify-bundle.js";
import type { Manifest } from "../../documents/signed.js";
import { type SluiceError, toSluiceError } from "../../base/error.js";
import { type StartBytes, startBytes } from "./bundle-documents.js";
import { checkStart, type StartDocuments } from "./start-checks.js";
import { findingOf, type StartFinding } from "./start-finding.js";
import { warmRouter } from "./warm-router.js";

export interface StartQuestion extends BundleQuestion {
  /** Folder of the bundle, or its display name if `files` are given. */
  readonly directory: string;
  /** Files that are already in memory, as returned by `readTar`; null to read the folder. */
  readonly files: ReadonlyMap<string, Buffer> | null;
  readonly workers: number;
}

export interface StartExplanation {
  /** null if files, signatures or approvals are invalid. */
  readonly verified: VerifiedBundle | null;
  /** Why they are invalid; null if they are valid. Its problems are the first findings. */
  readonly refusal: SluiceError | null;
  /** null if no producer signed a manifest that verifies. */
  readonly manifest: Manifest | null;
  /** Every reason why the bundle does not start; empty if it starts. */
  readonly findings: readonly StartFinding[];
  /** Why the warm-up was not tried; null if it was. There is then at least one finding. */
  readonly notWarmed: string | null;
}

const unproven = "the index was not warmed up, because its catalog and models could not be verified";
const unreadable = "the index was not warmed up, because a document of the bundle cannot be read";

const fileCodes: ReadonlySet<string> = new Set(["HASH_MISMATCH", "FILE_MISSING", "FILE_EXTRA", "IDENTITY_MISMATCH"]);

/**
 * Runs every check of a production start, even after a failure: files and signatures, documents, warm-up, golden
 * decisions. Models are loaded only if their bytes are those that a producer signed. Leaves nothing running.
 */
export async function explainStart(question: StartQuestion): Promise<StartExplanation> {
  const { verified, refusal, problems } = await verify(question);
  const found = problems.map(({ code, file, message }): StartFinding => {
    return { rule: fileCodes.has(code) ? "identities" : "manifest", code, file, message };
  });
  const bytes = verified ?? (await readUnverified(question));
  if (bytes === null) return { verified, refusal, manifest: null, findings: found, notWarmed: unproven };
  const proven = !problems.some(({ code }) => fileCodes.has(code)) && bytes.manifest !== null;
  const checked = checkStart(bytes);
  const isMissing = new Set(found.filter(({ code }) => code === "FILE_MISSING").map(({ file }) => file));
  const fresh = checked.findings.filter(({ code, file }) => code !== "FILE_MISSING" || !isMissing.has(file));
  const findings = [...found, ...fresh];
  const { documents } = checked;
  if (!proven || documents === null) {
    return { verified, refusal, manifest: bytes.manifest, findings, notWarmed: proven ? unreadable : unproven };
  }
  const warm = await warmUpFindings(documents, question.workers);
  return { verified, refusal, manifest: bytes.manifest, findings: [...findings, ...warm], notWarmed: null };
}

interface Verification extends Pick<StartExplanation, "verified" | "refusal"> {
  readonly problems: readonly BundleProblem[];
}

async function verify(question: StartQuestion): Promise<Verification> {
  const { files, directory } = question;
  try {
    const verified = files === null ? await verifyBundle(question) : verifyBundleFiles(files, directory, question);
    return { verified, refusal: null, problems: [] };
  } catch (thrown) {
    const refusal = toSluiceError(thrown);
    const { code, message, details } = refusal;
    const listed = details?.["problems"] as readonly BundleProblem[] | undefined;
    const problems = listed?.[0]?.file === undefined ? [{ code, file: directory, message }] : listed;
    return { verified: null, refusal, problems };
  }
}

/** Content of a bundle that does not verify; null if its folder cannot be read. */
async function readUnverified(question: StartQuestion): Promise<StartBytes | null> {
  const files = question.files ?? (await readDirectory(question.directory).catch(() => null))?.files ?? null;
  return files === null ? null : startBytes(files, openedManifest(files.get(bundleFiles.manifest), question));
}

/**
 * Opens the manifest, or returns null: the problems of the verification already include a manifest that does not open.
 */
function openedManifest(bytes: Buffer | undefined, question: StartQuestion): Manifest | null {
  if (bytes === undefined) return null;
  try {
    const trust = parseTrustPolicy(question.trustPolicyBytes);
    const { predicate } = openManifest(bytes, trust, question.now, bundleFiles.manifest);
    return predicate;
  } catch {
    return null;
  }
}

async function warmUpFindings(documents: StartDocuments, workers: number): Promise<readonly StartFinding[]> {
  try {
    const router = await warmRouter(documents, {
      workers,
      bundleId: null,
      integrityProblems: () => [],
      // Only golden decisions are routed, and a busy machine must not change them.
      now: () => 0,
    });
    await router.close();
    return [];
  } catch (thrown) {
    return [findingOf(thrown, "warm_up", bundleFiles.golden)];
  }
}
