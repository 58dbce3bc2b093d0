/** docs/how-to/use-as-a-library.md: its programs run where the package is installed. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as workbench from "../../stages/index.js";
import { assert, inTemporaryFolder, packageRoot, pluck, test } from "../support/test.js";
import { codeBlocks, docPage } from "../support/doc-page.js";

const page = docPage("how-to/use-as-a-library.md");
const example = (name: string): string => readFileSync(join(packageRoot, "docs", "examples", name), "utf8");

/** Runs a program in a folder in which the package is installed, and reads the JSON that it prints. */
function runInstalled(folder: string, program: string): unknown {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(packageRoot, join(folder, "node_modules", "sluice"));
  writeFileSync(join(folder, "program.mjs"), program);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
  assert.is(status, 0, stderr);
  return JSON.parse(stdout);
}

const program = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadProductionRouter } from "sluice/serve";
import { releaseFromCsv } from "./workbench.mjs";

const released = await releaseFromCsv({
  csv: ${JSON.stringify(join(packageRoot, "datasets", "example", "support-requests.csv"))},
  folder: "my-router",
  producer: "ann",
  approvers: ["bo", "cy"],
  passphraseOf: async (name) => "for this test only: " + name,
  target: 0.3,
});
const { directory } = released;
const router = await loadProductionRouter({
  artifactManifestPath: join(directory, "manifest.dsse.json"),
  catalogPath: join(directory, "catalog.yaml"),
  calibrationPath: join(directory, "calibration.json"),
  retrieverModel: join(directory, "models/retriever"),
  verifierModel: join(directory, "models/verifier"),
  trustPolicyPath: "my-router/workspace/trust.json",
});
console.log(JSON.stringify({ ...released, served: router.bundleId }));
await router.close();
`;

test("the example goes from a CSV to a bundle that a production server loads", () =>
  inTemporaryFolder((folder) => {
    writeFileSync(join(folder, "workbench.mjs"), example("workbench.mjs"));
    const {
      bundle_id: bundleId,
      served,
      claims,
      directory,
    } = runInstalled(folder, program) as {
      readonly bundle_id: string;
      readonly served: string;
      readonly claims: readonly string[];
      readonly directory: string;
    };
    assert.is(served, bundleId);
    assert.is(directory, "my-router/workspace/bundle");
    assert.match(
      claims.join(),
      /^When Sluice routes a request in English with this catalog, at most 30% of routes go to the wrong/,
    );
  }));

const projectProgram = `
import { join } from "node:path";
import { loadProductionRouter } from "sluice/serve";
import { releaseProject } from "./project.mjs";

const released = await releaseProject({
  source: ${JSON.stringify(join(packageRoot, "datasets", "example", "support-requests.csv"))},
  folder: "my-router",
  producer: "ann",
  approvers: ["bo", "cy"],
  passphraseOf: async (name) => "for this test only: " + name,
});
const { directory } = released;
const router = await loadProductionRouter({
  artifactManifestPath: join(directory, "manifest.dsse.json"),
  catalogPath: join(directory, "catalog.yaml"),
  calibrationPath: join(directory, "calibration.json"),
  retrieverModel: join(directory, "models/retriever"),
  verifierModel: join(directory, "models/verifier"),
  trustPolicyPath: "my-router/sluice-workspace/trust.json",
});
console.log(JSON.stringify({ ...released, served: router.bundleId }));
await router.close();
`;

test("the example of a project does what init, run --release and two approvals do", () =>
  inTemporaryFolder((folder) => {
    writeFileSync(join(folder, "project.mjs"), example("project.mjs"));
    const released = runInstalled(folder, projectProgram) as {
      readonly bundle_id: string;
      readonly served: string;
      readonly claims: readonly string[];
    };
    assert.is(released.served, released.bundle_id);
    assert.match(released.claims.join(), /^When Sluice routes a request in English with this catalog/);
    const people = readFileSync(join(folder, "my-router", "sluice.yaml"), "utf8");
    assert.match(people, 'approvers: ["bo", "cy"]');
  }));

test("the first program of the page runs as it is printed", () =>
  inTemporaryFolder((folder) => {
    const [first = ""] = codeBlocks(page, "mjs");
    const more = 'import { listRecords } from "sluice/workbench";\n';
    const end = 'console.log(JSON.stringify(await listRecords(workbench, { kind: "dataset" })));\n';
    const entries = runInstalled(folder, `${more}${first}${end}`) as readonly { readonly actor: string }[];
    assert.equal(pluck(entries, "actor"), ["ann"]);
  }));

test("the page names every function that is exported", () => {
  const functions = Object.entries(workbench).filter(
    ([name, value]) => typeof value === "function" && /^[a-z]/.test(name),
  );
  assert.ok(functions.length > 20);
  for (const [name] of functions) assert.ok(page.includes(`\`${name}\``), name);
});
