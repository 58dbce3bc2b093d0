/** What a thread loads when it starts: every start of a program and every replaced thread pays for it. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";

/** Packages that a compiled module loads, with everything that it imports. */
function packagesOf(entry: string): ReadonlySet<string> {
  const waiting = [join(packageRoot, "dist", entry)];
  const seen = new Set(waiting);
  const packages = new Set<string>();
  for (const file of waiting) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^"';]*"([^"]+)";$/gm)) {
      if (!path.startsWith(".")) packages.add(path);
      else {
        const imported = resolve(dirname(file), path);
        if (!seen.has(imported)) waiting.push(imported);
        seen.add(imported);
      }
    }
  }
  return packages;
}

for (const entry of ["src/router/scoring/scoring.worker.js", "src/inference/inference.worker.js"]) {
  test(`${entry} loads ONNX Runtime and no schema library, which takes longer than all the rest`, () => {
    const packages = packagesOf(entry);
    assert.ok(packages.has("onnxruntime-node"));
    assert.equal(
      [...packages].filter((name) => name.startsWith("typebox")),
      [],
    );
  });
}
