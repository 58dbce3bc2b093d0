// Runs the compiled tests under coverage. `npm test -- policy` runs the test files whose path contains "policy".
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const c8 = fileURLToPath(new URL("../node_modules/c8/bin/c8.js", import.meta.url));
const runner = "dist/test/support/run.js";
const filter = process.argv.slice(2);
const coverage = ["--reporter=text-summary", "--exclude=dist/test/**", "--check-coverage", "--lines=85"];
const args = filter.length > 0 ? [runner, ...filter] : [c8, ...coverage, process.execPath, runner];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
