/**
 * Measures the cost of integrity: the check before every request (target: 99% under 100 µs), and the verification of a
 * 500 MB bundle at server start compared with sha256sum on the same files (target: at most 1.5 times as long).
 *
 *   npm run build && node dist/bench/bundle-integrity.js [--requests 20000] [--megabytes 500] [--rounds 5]
 */
import { execFileSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRevocationFile } from "../src/trust/revocation-file.js";
import { verifyBundle } from "../src/trust/verify/verify-bundle.js";
import { createBundleRouter } from "../src/router/bundle-router.js";
import {
  testEnvironment,
  testFiles,
  testNow,
  testRevocations,
  testTrustBytes,
  writeTestBundle,
} from "../test/support/builders-artifacts.js";
import { writeServableBundle } from "../test/support/servable-bundle.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    megabytes: { type: "string", default: "500" },
    rounds: { type: "string", default: "5" },
  },
});
const megabyte = 1_000_000;
const targetMicroseconds = 100;
const targetRatio = 1.5;
const question = { trustPolicyBytes: testTrustBytes(), environment: testEnvironment, now: testNow };
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

function quantile(taken: readonly number[], share: number): number {
  const sorted = [...taken].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

/** Processor time used by this process, in microseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * 99th percentile of the check of a served bundle with a watched revocation list, in microseconds of processor time. On
 * a shared machine, wall-clock time would include other processes.
 */
async function requestCheck(folder: string, requests: number): Promise<number> {
  const [directory, path] = [join(folder, "served"), join(folder, "revocations.json")];
  await writeServableBundle(directory);
  writeFileSync(path, await testRevocations([]));
  const { bytes: revocationBytes, mark } = await readRevocationFile(path);
  const verify = () => verifyBundle({ directory, ...question, revocationBytes });
  const verified = await verify();
  const router = await createBundleRouter(verified, {
    workers: 1,
    clock: () => testNow,
    now: () => performance.now(),
    verifyAgain: verify,
    revocationFile: { path, mark },
  });
  const [wall, own]: [number[], number[]] = [[], []];
  for (let i = 0; i < requests; i += 1) {
    const [start, used] = [performance.now(), processorTime()];
    const problems = router.integrityProblems();
    own.push(processorTime() - used);
    wall.push((performance.now() - start) * 1000);
    if (problems.length > 0) throw new Error(problems.join());
  }
  await router.close();
  print(`check of each request (${verified.fileStats.length} files and folders, a revocation list):`);
  for (const [name, taken] of [
    ["processor time", own],
    ["wall clock", wall],
  ] as const) {
    const at = [0.5, 0.99].map((share) => quantile(taken, share).toFixed(1));
    print(`  ${name}: p50 ${at[0]} µs, p99 ${at[1]} µs`);
  }
  return quantile(own, 0.99);
}

function randomBytes(size: number): Buffer {
  return randomFillSync(Buffer.allocUnsafeSlow(size));
}

/** Ratio of the median times of a start-up verification and of sha256sum on the same files, run alternately. */
async function startCheck(folder: string, megabytes: number, rounds: number): Promise<number> {
  const directory = join(folder, "large");
  const files = testFiles();
  files.set("models/retriever/weights.bin", randomBytes(megabytes * megabyte * 0.2));
  for (const part of [0, 1]) files.set(`models/verifier/weights-${part}.bin`, randomBytes(megabytes * megabyte * 0.4));
  await writeTestBundle(directory, files);
  files.clear();
  const seconds = async (work: () => unknown): Promise<number> => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };
  const sums: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    sums.push(
      await seconds(() =>
        execFileSync("sh", ["-c", "find . -type f -print0 | xargs -0 sha256sum"], { cwd: directory }),
      ),
    );
    own.push(await seconds(() => verifyBundle({ directory, ...question })));
    print(`  round ${round + 1}: sha256sum ${sums.at(-1)?.toFixed(2)} s, verification ${own.at(-1)?.toFixed(2)} s`);
  }
  const ratio = quantile(own, 0.5) / quantile(sums, 0.5);
  const medians = `sha256sum ${quantile(sums, 0.5).toFixed(2)} s, verification ${quantile(own, 0.5).toFixed(2)} s`;
  print(`start with a bundle of ${megabytes} MB (medians): ${medians}, ${ratio.toFixed(2)} times`);
  return ratio;
}

const folder = mkdtempSync(join(tmpdir(), "sluice-integrity-"));
try {
  const p99 = await requestCheck(folder, Number(values.requests));
  const ratio = await startCheck(folder, Number(values.megabytes), Number(values.rounds));
  const met = p99 < targetMicroseconds && ratio <= targetRatio;
  print(met ? "both targets are met" : "a target is not met");
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
