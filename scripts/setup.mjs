// Installs and compiles if needed; silent and fast if nothing changed. Runs before `npm start` and `npm test`. With
// --packages it stops before anything is compiled.
import { digestOf, ensureCompiled } from "./compile.mjs";
import { ensureBinding, ensurePackages } from "./install.mjs";

// The "engines" rule of package.json, checked by hand because no package is installed yet.
const [major, minor] = process.versions.node.split(".").map(Number);
const smallestMinor = { 20: 19, 22: 12 }[major] ?? (major >= 24 ? 0 : Number.POSITIVE_INFINITY);
if (minor < smallestMinor) {
  process.stderr.write(`Sluice needs Node 20.19, 22.12 or 24, or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
try {
  const lock = digestOf(["package-lock.json"]);
  ensurePackages(lock);
  if (!process.argv.includes("--packages")) {
    const binding = ensureBinding(lock);
    ensureCompiled();
    await binding;
  }
} catch (error) {
  process.stderr.write(`set-up failed: ${error.message}\n`);
  process.exitCode = 1;
}
