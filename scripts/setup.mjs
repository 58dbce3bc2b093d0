// Installs and compiles when needed; silent and fast when nothing changed. Runs before `npm start` and `npm test`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const path = (...parts) => join(root, ...parts);
const installStamp = path("node_modules", ".sluice-install");
const buildStamp = path("dist", ".sluice-build");
const sources = ["src", "datasets", "eval", "calibrate", "reports", "serve", "cli", "test"];

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Sluice needs Node 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  if (status === 0) return;
  process.stderr.write(
    `set-up failed: ${command} ${args.join(" ")}${error === undefined ? "" : ` (${error.message})`}\n`,
  );
  process.exit(1);
}

function stampIs(file, wanted) {
  return existsSync(file) && readFileSync(file, "utf8") === wanted;
}

function digestOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function sourceFiles() {
  const inside = sources.flatMap((folder) =>
    readdirSync(path(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name) && !entry.name.endsWith(".jsonl"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [path("tsconfig.base.json"), path("tsconfig.build.json"), ...inside].sort();
}

const lock = digestOf([path("package-lock.json")]);
const installed = `${lock} abi ${process.versions.modules}\n`;
if (!stampIs(installStamp, installed)) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // onnxruntime-node would download GPU libraries; the CPU library is part of the package.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" };
  process.stderr.write("Installing packages (about a minute)...\n");
  run(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { env });
  writeFileSync(installStamp, installed);
}

const built = `${digestOf(sourceFiles())} ${lock}\n`;
if (!stampIs(buildStamp, built)) {
  process.stderr.write("Compiling...\n");
  run(process.execPath, [path("scripts", "build.mjs")]);
  mkdirSync(path("dist"), { recursive: true });
  writeFileSync(buildStamp, built);
}
