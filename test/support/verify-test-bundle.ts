import { type BundleQuestion, type VerifiedBundle, verifyBundle } from "../../src/trust/verify/verify-bundle.js";
import { testEnvironment, testNow, testTrustBytes } from "./builders-artifacts.js";

/** The policy, environment and time for which the bundles of the builders are made. */
export const testQuestion: BundleQuestion = {
  trustPolicyBytes: testTrustBytes(),
  environment: testEnvironment,
  now: testNow,
};

/** Verifies a folder by `testQuestion`. */
export function verifyTestBundle(directory: string): Promise<VerifiedBundle> {
  return verifyBundle({ directory, ...testQuestion });
}

/** The same as the judge of a folder that is written. */
export async function checkTestBundle(directory: string): Promise<void> {
  await verifyTestBundle(directory);
}
