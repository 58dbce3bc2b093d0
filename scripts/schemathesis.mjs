// Starts a server with the fast models, sends it requests that schemathesis generates from docs/openapi.json, and
// checks every response against the description. Skipped if Python or the package is unavailable. Takes about a minute;
// use `--examples 550` before a release.
// usage: node scripts/schemathesis.mjs [--examples N]
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { examples: { type: "string", default: "200" } } });
const version = "4.32.5";
const folder = mkdtempSync(join(tmpdir(), "sluice-schemathesis-"));
const run = (program, args, seconds, env = process.env) =>
  spawnSync(program, args, { encoding: "utf8", timeout: seconds * 1000, env });
const hooks = fileURLToPath(new URL("schemathesis_hooks.py", import.meta.url));

function installed() {
  if (run("python3", ["-m", "venv", folder], 60).status !== 0) return null;
  const pip = run(join(folder, "bin", "pip"), ["install", "-q", `schemathesis==${version}`], 120);
  return pip.status === 0 ? join(folder, "bin", "schemathesis") : null;
}

/** The base address that the server prints. */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    server.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    server.once("exit", () => reject(new Error("the server ended before it listened")));
  });
}

async function check(program) {
  const server = spawn(process.execPath, ["dist/bench/serving/server.js", "fast", "development", "1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const options = ["--url", await addressOf(server), "--max-examples", values.examples, "--seed", "1"];
    const env = { ...process.env, SCHEMATHESIS_HOOKS: hooks };
    const found = run(program, ["run", "docs/openapi.json", ...options], 240, env);
    process.stdout.write(found.stdout);
    return found.status === 0;
  } finally {
    server.kill();
  }
}

try {
  const program = installed();
  if (program === null)
    process.stdout.write(`${"skipped, schemathesis cannot be installed here\n0 passed, 0 failed, 1 skipped"}\n`);
  else {
    const passed = await check(program);
    process.stdout.write(`${passed ? "1 passed, 0 failed" : "0 passed, 1 failed"}\n`);
    if (!passed) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
