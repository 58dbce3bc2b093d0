/**
 * Every bench of bench/performance.md in one run:
 * `npm run bench -- [--only NAME]... [--gate] [--rounds 7] [--warm-up 2]`. Writes bench/results/performance.jsonl and
 * bench/performance.md. With --gate it writes nothing, and exits with 1 if a figure became worse.
 */
import { availableParallelism, cpus, loadavg, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { onnxRuntimeVersion } from "../src/inference/models/open-session.js";
import { packageRoot } from "../test/support/package-root.js";
import { historyFile } from "./harness/history-file.js";
import { runBenches } from "./harness/run-benches.js";
import { bundleStart } from "./suites/bundle-start.js";
import { growth, indexBuild } from "./suites/growth.js";
import { http } from "./suites/http.js";
import { loadCurves } from "./suites/load.js";
import { scoring } from "./suites/scoring.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    gate: { type: "boolean", default: false },
    rounds: { type: "string", default: "7" },
    "warm-up": { type: "string", default: "2" },
  },
});

const oneDigit = (value: number): number => Math.round(10 * value) / 10;

process.exitCode = await runBenches(
  [scoring, http, bundleStart, indexBuild, growth, loadCurves],
  { only: values.only, gate: values.gate, rounds: Number(values.rounds), warmUp: Number(values["warm-up"]) },
  {
    history: historyFile(
      join(packageRoot, "bench/results/performance.jsonl"),
      join(packageRoot, "bench/performance.md"),
    ),
    machine: () => ({
      processor: cpus()[0]?.model.trim() ?? "an unknown processor",
      cores: availableParallelism(),
      memoryGib: oneDigit(totalmem() / 2 ** 30),
      system: type(),
      node: process.versions.node,
      onnxRuntime: onnxRuntimeVersion(),
      loadBefore: oneDigit(loadavg()[0] ?? 0),
    }),
    clock: () => new Date(),
    say: (line) => void process.stdout.write(`${line}\n`),
  },
);
