// Brings node_modules in line with package-lock.json; does nothing if it already is.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(root, "node_modules", ".sluice-install");

/** Runs a program with its output on stderr; throws an error with the command line if it fails. */
export function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], env });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(" ")}: ${error === undefined ? `exit ${status}` : error.message}`);
}

/** The command line of npm and its environment. */
function npm(args) {
  // Without this, onnxruntime-node would download GPU libraries; its package already contains the CPU library.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" };
  const script = process.env.npm_execpath;
  return script?.endsWith("npm-cli.js") ? [process.execPath, [script, ...args], env] : ["npm", args, env];
}

const readJson = (...parts) => JSON.parse(readFileSync(join(root, ...parts), "utf8"));

/** True if npm's record of node_modules lists the packages of the lock file in the same versions. */
function packagesMatch() {
  if (!existsSync(join(root, "node_modules", ".package-lock.json"))) return false;
  const installed = readJson("node_modules", ".package-lock.json").packages;
  return Object.entries(readJson("package-lock.json").packages).every(
    ([path, { version, optional = false }]) =>
      path === "" || (installed[path] === undefined ? optional : installed[path].version === version),
  );
}

/** True if the compiled SQLite binding loads; it is built for one ABI of Node. */
function bindingLoads() {
  const script = 'new (require("better-sqlite3"))(":memory:").close()';
  return spawnSync(process.execPath, ["-e", script], { cwd: root, stdio: "ignore" }).status === 0;
}

const stampFor = (lockDigest) => `${lockDigest} ${process.platform} ${process.arch} abi ${process.versions.modules}\n`;

const isInstalled = (lockDigest) => existsSync(stamp) && readFileSync(stamp, "utf8") === stampFor(lockDigest);

/** Brings the packages; the SQLite binding, the only one that must be compiled, follows by `ensureBinding`. */
export function ensurePackages(lockDigest) {
  if (isInstalled(lockDigest) || packagesMatch()) return;
  process.stderr.write("Installing packages (about a minute)...\n");
  const options = ["--include=dev", "--include=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  run(...npm(["ci", ...options, "--loglevel=error"]));
}

/** Compiles the SQLite binding if needed, in another process, and resolves when it loads. */
export async function ensureBinding(lockDigest) {
  if (isInstalled(lockDigest)) return;
  if (!bindingLoads()) {
    process.stderr.write(`Building better-sqlite3 for Node ${process.versions.node}...\n`);
    const [command, args, env] = npm(["rebuild", "better-sqlite3", "--ignore-scripts=false", "--loglevel=error"]);
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", 2, 2], env });
    await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
    if (!bindingLoads()) throw new Error("better-sqlite3 does not load; it needs g++, make and python3 to compile");
  }
  writeFileSync(stamp, stampFor(lockDigest));
}
