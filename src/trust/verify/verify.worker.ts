/** Runs one verification in a separate thread. */
import { answerTask, type ThreadResult } from "../thread.js";
import type { VerificationTask } from "./verification-thread.js";
import { type VerifiedBundle, verifyBundle } from "./verify-bundle.js";
import { judgeSigned, judgeUnderSuccessor } from "./verify-signed.js";

/** The buffers of all files. They are transferred to the caller, which uses exactly the bytes that were hashed here. */
function buffersOf(bundle: VerifiedBundle): readonly ArrayBuffer[] {
  const { catalogBytes, calibrationBytes, policyBytes, goldenBytes, vectorBytes, signed } = bundle;
  const files = [
    catalogBytes,
    calibrationBytes,
    policyBytes,
    goldenBytes,
    ...(vectorBytes === null ? [] : [vectorBytes]),
    signed.manifestBytes,
    ...bundle.retrieverFiles.values(),
    ...bundle.verifierFiles.values(),
    ...signed.approvals.values(),
  ];
  return [...new Set(files.map(({ buffer }) => buffer as ArrayBuffer))];
}

async function run(task: VerificationTask): Promise<ThreadResult> {
  switch (task.kind) {
    case "verify": {
      const value = await verifyBundle(task.options);
      return { value, moved: buffersOf(value) };
    }
    case "verifyAgain": {
      const { bundleId, end, fileStats, signed, question } = await verifyBundle(task.options);
      return { value: { bundleId, end, fileStats, signed, question } };
    }
    case "judge":
      return { value: judgeSigned(task.parts, task.question).end };
    case "judgeUnderSuccessor":
      return { value: judgeUnderSuccessor(task.parts, task.question, task.revocationBytes) };
  }
}

await answerTask(run);
