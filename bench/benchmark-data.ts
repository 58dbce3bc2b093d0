import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchmarks, writeBenchmark } from "./datasets/write-benchmark.js";

/**
 * Writes published benchmark data as `requests.jsonl` and `catalog.json`.
 *
 *   node dist/bench/benchmark-data.js banking77|clinc150|sgd PATH --out DIR [--seed N]
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: "." }, seed: { type: "string", default: "0" } },
});
const [name, path] = positionals;
const found = benchmarks.find((one) => one === name);
if (found === undefined || path === undefined) {
  process.stderr.write(`expected ${benchmarks.join("|")} and a path\n`);
  process.exitCode = 2;
} else {
  mkdirSync(values.out, { recursive: true });
  await writeBenchmark(found, path, values.out, { seed: Number(values.seed) });
}
