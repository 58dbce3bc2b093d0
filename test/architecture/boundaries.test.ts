import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";
import { filesBelow, projectFiles } from "./files.js";
import { cruise, sourceFolders } from "./cruise.js";
import { expandCore, layerOf, layers, productFolders } from "./layers.js";

/** Loads the operator's own authorizer, whose path is a setting. */
const mayImportByPath = ["serve/load-authorizer.ts"];

/** One forbidden import for each kind of rule: the file that gets it, the import, the rule that must fire. */
const plants: readonly (readonly [file: string, target: string, rule: string])[] = [
  ["src/documents/planted.ts", "../router/policy/decide.js", "layer-src-documents"],
  ["src/base/numbers/planted.ts", "../../../cli/planted-target.js", "layer-src-base"],
  ["reports/planted.ts", "../src/router/policy/decide.js", "layer-reports"],
  ["serve/planted.ts", "../store/history/planted-target.js", "layer-serve"],
  ["serve/planted.ts", "../release/signing/planted-target.js", "serve-cannot-sign"],
  ["client/planted.ts", "../src/documents/planted-target.js", "layer-client"],
  ["client/planted.ts", "node:timers", "client-runs-anywhere"],
  ["serve/main.ts", "yargs", "serve-main-stays-small"],
  ["src/trust/verify/planted.ts", "../../../release/signing/planted-target.js", "layer-src-trust"],
  ["calibrate/planted.ts", "../eval/planted-target.js", "calibrate-reads-scored-records"],
  ["calibrate/planted.ts", "../datasets/planted-target.js", "calibrate-reaches-no-dataset"],
  ["calibrate/planted.ts", "../src/router/planted-target.js", "calibrate-uses-the-policy"],
  ["eval/planted.ts", "../src/index.js", "facade-from-outside-only"],
  ["bench/planted.ts", "../cli/planted-target.js", "layer-bench"],
  ["cli/planted.ts", "../store/planted-target.js", "layer-cli"],
  ["cli/planted.ts", "../serve/planted-target.js", "cli-serves-in-few-commands"],
  ["cli/planted.ts", "../bench/planted-target.js", "layer-cli-types"],
  ["cli/planted.ts", "./planted-cycle.js", "no-cycle"],
  ["cli/planted-cycle.ts", "./planted.js", "no-cycle"],
  ["cli/planted.ts", "better-sqlite3", "owner-better-sqlite3"],
  ["cli/planted.ts", "@stdlib/math-base-special-betainc", "owner-stdlib"],
  ["cli/planted.ts", "node:worker_threads", "worker-threads-in-inference"],
  ["cli/planted.ts", "./no-such-file.js", "resolvable"],
  ["src/router/policy/planted.ts", "node:fs", "pure-folders"],
  ["test/planted.test.ts", "uvu", "tests-through-the-runner"],
  ["eval/planted.ts", "node:http", "network-in-serve"],
];

function plantedCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "sluice-boundaries-"));
  const settings = [".dependency-cruiser.cjs", "package.json", "tsconfig.json", "tsconfig.base.json"];
  for (const name of [...settings, ...sourceFolders]) {
    if (existsSync(join(packageRoot, name))) cpSync(join(packageRoot, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(packageRoot, "node_modules"), join(copy, "node_modules"));
  cpSync(join(packageRoot, "dist/test/support"), join(copy, "dist/test/support"), { recursive: true });
  for (const [file, target] of plants) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    appendFileSync(join(copy, file), `import ${JSON.stringify(target)};\n`);
    if (!/planted-target|index\.js/.test(target)) continue;
    const targetFile = join(copy, dirname(file), target.replace(/\.js$/, ".ts"));
    mkdirSync(dirname(targetFile), { recursive: true });
    appendFileSync(targetFile, "export {};\n");
  }
  return copy;
}

const isSource = (file: string): boolean =>
  /\.(ts|mts|cts|js|mjs|cjs)$/.test(file) && !file.startsWith("test/support/runner-fixtures/");

test("no import breaks a rule, and a planted violation of each kind of rule is reported", () => {
  const copy = plantedCopy();
  try {
    const { modules, violations } = cruise(copy);
    const files = sourceFolders.flatMap(filesBelow).filter(isSource);
    assert.ok(modules >= files.length, `only ${modules} of ${files.length} modules were seen`);
    const missed = plants.filter(
      ([file, , rule]) => !violations.some((found) => found.rule === rule && [found.from, found.to].includes(file)),
    );
    assert.equal(missed, []);
    const isPlanted = (file: string): boolean =>
      /\/planted[a-z-]*(\.test)?\.ts$/.test(file) || file.includes("/yargs/");
    const unplanted = violations.filter(({ from, to }) => !isPlanted(from) && !isPlanted(to));
    assert.equal(unplanted, []);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("imports go down only: every allowed layer lies on a lower floor", () => {
  const floorOf = new Map(layers.floors.flatMap((floor, height) => floor.map((layer) => [layer, height] as const)));
  assert.equal([...floorOf.keys()].sort(), Object.keys(layers.imports).sort());
  for (const [layer, allowed] of Object.entries(layers.imports)) {
    const height = floorOf.get(layer) ?? -1;
    const notLower = expandCore(allowed).filter((name) => (floorOf.get(name) ?? Number.POSITIVE_INFINITY) >= height);
    assert.equal(notLower, [], `${layer} may import from its own floor or above`);
  }
});

test("every source file belongs to a known folder", () => {
  const known = (file: string): boolean => file.startsWith("scripts/") || layerOf(file) !== undefined;
  const files = projectFiles().filter(isSource);
  assert.ok(files.length > 30, `only ${files.length} source files were seen`);
  assert.equal(
    files.filter((file) => !known(file)),
    [
      ".dependency-cruiser.cjs",
      "docs/examples/active-catalog.mjs",
      "docs/examples/authorizer.mjs",
      "docs/examples/chat-loop.mjs",
      "docs/examples/few-tools.mjs",
      "docs/examples/in-process.mjs",
      "docs/examples/project.mjs",
      "docs/examples/route-client.ts",
      "docs/examples/token-authorizer.mjs",
      "docs/examples/tools-first.mjs",
      "docs/examples/workbench.mjs",
    ],
  );
});

test("every import() names its module literally, so that the rules can see it", () => {
  const files = productFolders.flatMap(filesBelow).filter(isSource);
  const hidden = /\bimport\(\s*[^"'\s]/;
  assert.ok(hidden.test("await import(name)") && !hidden.test('await import("./a.js")'));
  const hiding = files.filter((file) => hidden.test(readFileSync(join(packageRoot, file), "utf8")));
  assert.equal(
    hiding.filter((file) => !mayImportByPath.includes(file)),
    [],
  );
});
