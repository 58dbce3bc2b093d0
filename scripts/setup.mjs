// Installs and compiles when needed; silent and fast when nothing changed. Runs before `npm start` and `npm test`.
// With --packages it stops before compiling.
import { digestOf, ensureCompiled } from "./compile.mjs";
import { ensureInstalled } from "./install.mjs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Sluice needs Node 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
try {
  ensureInstalled(digestOf(["package-lock.json"]));
  if (!process.argv.includes("--packages")) ensureCompiled();
} catch (error) {
  process.stderr.write(`set-up failed: ${error.message}\n`);
  process.exitCode = 1;
}
