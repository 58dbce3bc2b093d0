// `npm run check`: clean build, format, lint, prose, API description, unused code, then the tests under coverage, which
// hold the import rules (test/architecture/boundaries). A check without findings passes only if it examined every
// source file. --without-tests skips the tests.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { digestOf, sourceFiles } from "./compile.mjs";
import { ensureBinding } from "./install.mjs";
import { runTests } from "./test-run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = sourceFiles().filter((file) => file.endsWith(".ts")).length;
const environment = { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
const seen = { passed: 0, failed: 0 };

function node(script, args = []) {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env: { ...process.env, ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}

const installed = (script, args) => node(`node_modules/${script}`, args);

/** Reads from the output how many files a program examined; too few is a failure. */
function lookedAt(output, pattern, what) {
  const count = Number(pattern.exec(output)?.[1] ?? 0);
  if (count < sources) throw new Error(`${output}\nit looked at ${count} ${what}, but there are ${sources} sources`);
  return `${count} ${what}`;
}

const built = node("scripts/build.mjs");
const binding = ensureBinding(digestOf(["package-lock.json"]));

const checks = {
  async build() {
    const { status, output } = await built;
    if (status !== 0) throw new Error(output);
    return `${sources} sources`;
  },
  async format() {
    const { status, output } = await installed("@biomejs/biome/bin/biome", ["ci", "."]);
    if (status !== 0) throw new Error(`${output}\nnpm run format`);
    return lookedAt(output, /Checked (\d+) files/, "files");
  },
  async lint() {
    const { status, output } = await installed("oxlint/bin/oxlint", ["--type-aware", "--deny-warnings"]);
    if (status !== 0) throw new Error(output);
    return lookedAt(output, /on (\d+) files/, "files");
  },
  async description() {
    const { status, output } = await installed("@redocly/cli/bin/cli.js", [
      "lint",
      "--extends",
      "recommended",
      "docs/openapi.json",
    ]);
    if (status !== 0 || /warning/iu.test(output.replace(/Deprecation warning/u, ""))) throw new Error(output);
    return "docs/openapi.json";
  },
  async prose() {
    const { status, output } = await node("scripts/prose.mjs");
    if (status !== 0) throw new Error(output);
    return lookedAt(output, /^(\d+) files read/m, "files");
  },
  async figures() {
    const { status, output } = await node("scripts/figures.mjs");
    if (status !== 0) throw new Error(output);
    return output.trim().split("\n").at(-1) ?? "";
  },
  async unused() {
    // If knip had read no file, it would report every dependency as unused, so a clean run has read the files.
    const { status, output } = await installed("knip/bin/knip.js", ["--no-progress", "--no-config-hints"]);
    if (status !== 0) throw new Error(output);
    return `${sources} sources and all dependencies`;
  },
  async product() {
    // Code that only tests call belongs in test/.
    const args = ["--config", "knip.product.json", "--include", "exports,files", "--no-progress", "--no-config-hints"];
    const { status, output } = await installed("knip/bin/knip.js", args);
    if (status !== 0) throw new Error(`${output}\nonly tests use this: move it to test/`);
    return "every export is used outside of the tests";
  },
};

/** The checks that need no build run while another process compiles. */
const waiting = Object.entries(checks).values();
async function runChecks() {
  for (const [name, check] of waiting) {
    try {
      process.stdout.write(`ok ${name} (${await check()})\n`);
      seen.passed += 1;
    } catch (error) {
      process.stdout.write(`FAILED ${name}\n${error.message.trimEnd()}\n`);
      seen.failed += 1;
    }
  }
}
await Promise.all([runChecks(), runChecks(), binding]);

let rest = "";
if (!process.argv.includes("--without-tests")) {
  const tests = await runTests({ coverage: true });
  seen.passed += tests.passed;
  seen.failed += tests.failed;
  rest = tests.rest;
}
process.stdout.write(`${seen.passed} passed, ${seen.failed} failed${rest}\n`);
process.exitCode = seen.failed > 0 ? 1 : 0;
