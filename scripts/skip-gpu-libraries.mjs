// Runs before the install scripts of the packages that Sluice depends on. On Linux x64 the script of onnxruntime-node
// downloads GPU libraries that Sluice never loads, from a host that is not the npm registry, and fails the whole
// installation when that host cannot be reached. It downloads nothing if the files exist, so placeholders are created
// here, each with one explanatory line. A project with its own dependency on onnxruntime-node is left alone.
// docs/adr/0018-installing-where-only-the-registry-can-be-reached.md
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const libraries = ["cuda", "shared", "tensorrt"].map((name) => `libonnxruntime_providers_${name}.so`);
const text = "Not a library. For GPU libraries: npm rebuild onnxruntime-node --onnxruntime-node-install=cuda12\n";

/** Folder of the Linux x64 binding; undefined if it does not exist, as in a checkout without installed packages. */
function bindingFolder() {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  try {
    const folder = join(dirname(require.resolve("onnxruntime-node/package.json")), "bin/napi-v6/linux/x64");
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the project being installed depends on onnxruntime-node directly. */
function projectDecides() {
  const file = join(process.env.npm_config_local_prefix ?? process.cwd(), "package.json");
  if (process.env.npm_config_global === "true" || !existsSync(file)) return false;
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, "utf8"));
  return [dependencies, devDependencies, optionalDependencies].some((some) => some?.["onnxruntime-node"] !== undefined);
}

const folder = bindingFolder();
if (folder !== undefined && !projectDecides()) {
  for (const library of libraries) {
    const path = join(folder, library);
    if (!existsSync(path)) writeFileSync(path, text);
  }
}
