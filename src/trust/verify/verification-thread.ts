import { runInThread } from "../thread.js";
import type { VerifiedBundle, VerifyBundleOptions } from "./verify-bundle.js";
import type { BundleEnd, SignedParts, SignedQuestion, UnderSuccessor } from "./verify-signed.js";

export type VerificationTask =
  | { readonly kind: "verify" | "verifyAgain"; readonly options: VerifyBundleOptions }
  | { readonly kind: "judge"; readonly parts: SignedParts; readonly question: SignedQuestion }
  | {
      readonly kind: "judgeUnderSuccessor";
      readonly parts: SignedParts;
      readonly question: SignedQuestion;
      readonly revocationBytes: Uint8Array;
    };

/** The result of verifying a bundle again: everything but the bytes of its files, which are already in use. */
export type ReverifiedBundle = Pick<VerifiedBundle, "bundleId" | "end" | "fileStats" | "signed" | "question">;

const run = <T>(task: VerificationTask): Promise<T> =>
  runInThread<T>(new URL("./verify.worker.js", import.meta.url), task);

/** Bytes sent between threads arrive as plain arrays; the buffer shares their memory. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
const buffersOf = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Buffer> =>
  new Map([...files].map(([path, bytes]) => [path, bufferOf(bytes)]));

/**
 * Runs `verifyBundle` in another thread. The bytes that were hashed there are transferred, not copied or read again.
 */
export async function verifyInThread(options: VerifyBundleOptions): Promise<VerifiedBundle> {
  const found = await run<VerifiedBundle>({ kind: "verify", options: plain(options) });
  return {
    ...found,
    catalogBytes: bufferOf(found.catalogBytes),
    calibrationBytes: bufferOf(found.calibrationBytes),
    policyBytes: bufferOf(found.policyBytes),
    goldenBytes: bufferOf(found.goldenBytes),
    vectorBytes: found.vectorBytes === null ? null : bufferOf(found.vectorBytes),
    retrieverFiles: buffersOf(found.retrieverFiles),
    verifierFiles: buffersOf(found.verifierFiles),
  };
}

/** The same for a bundle whose bytes are already in use. @throws {SluiceError} those of `verifyBundle` */
export function verifyAgainInThread(options: VerifyBundleOptions): Promise<ReverifiedBundle> {
  return run({ kind: "verifyAgain", options: plain(options) });
}

/** Options without the values that cannot be sent to a thread. */
function plain(options: VerifyBundleOptions): VerifyBundleOptions {
  const { directory, trustPolicyBytes, environment, revocationBytes = null, now } = options;
  return { directory, trustPolicyBytes, environment, revocationBytes, now };
}

/** When signed parts expire; null if they are currently invalid. */
export function judgeInThread(parts: SignedParts, question: SignedQuestion): Promise<BundleEnd | null> {
  return run({ kind: "judge", parts, question });
}

/** Runs `judgeUnderSuccessor` in another thread. @throws {SluiceError} as `judgeUnderSuccessor` */
export function judgeUnderSuccessorInThread(
  parts: SignedParts,
  question: SignedQuestion,
  revocationBytes: Uint8Array,
): Promise<UnderSuccessor> {
  return run({ kind: "judgeUnderSuccessor", parts, question, revocationBytes });
}
