import { execFileSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBundle } from "../../src/trust/verify/verify-bundle.js";
import {
  testEnvironment,
  testFiles,
  testNow,
  testTrustBytes,
  writeTestBundle,
} from "../../test/support/builders-artifacts.js";
import type { Bench } from "../harness/figure.js";

const megabytes = 100;

export const bundleStart: Bench = {
  name: "bundle",
  about: `Verification of a bundle of ${megabytes} MB, as at the start of a server. The floor is \`sha256sum\` of the same files.`,
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
    const directory = join(folder, "bundle");
    const files = testFiles();
    for (const part of [0, 1]) {
      files.set(`models/verifier/weights-${part}.bin`, randomFillSync(Buffer.allocUnsafeSlow(megabytes * 500_000)));
    }
    await writeTestBundle(directory, files);
    const question = { directory, trustPolicyBytes: testTrustBytes(), environment: testEnvironment, now: testNow };
    const sums = (): unknown =>
      execFileSync("sh", ["-c", "find . -type f -print0 | xargs -0 sha256sum"], { cwd: directory });
    return {
      figures: [
        {
          id: "bundle/verify",
          title: `verification of ${megabytes} MB`,
          unit: "ms",
          better: "lower",
          round: () => milliseconds(() => verifyBundle(question)),
          references: [{ role: "floor", name: "sha256sum", round: () => milliseconds(sums) }],
        },
      ],
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
