import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { gateMetrics } from "../../eval/gates/gate-metrics.js";
import { namedGates, requestBuckets } from "../../src/documents/choices.js";
import { parseGate } from "../../eval/gates/parse-gate.js";
import { assert, packageRoot, testWith } from "../support/test.js";
import { measuredExample } from "../cli/support/small-workspace.js";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, docPage, docSection, wordsOf } from "../support/doc-page.js";
import { parseXml } from "../support/parse-xml.js";

const test = testWith<{ folder: string }>();

const page = docPage("how-to/improve.md");

interface Workflow {
  readonly jobs: {
    readonly gates: {
      readonly steps: readonly { readonly run?: string; readonly with?: { readonly path?: string } }[];
    };
  };
}

/** The first lines of the page, which made the project. */
const begun = ["sluice init --into shop --owner support --yes", "sluice run -C shop"];

test.before(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), "sluice-improve-"));
  await cp(join((await measuredExample()).folder, "shop"), join(context.folder, "shop"), { recursive: true });
});

test.after(({ folder }) => rm(folder, { recursive: true, force: true }));

/** Names in the first column of the first table of a section, its subsections left out. */
const firstColumn = (section: string): readonly string[] =>
  [...docSection(page, section).matchAll(/^\| `([^`]+)` \|/gmu)].map(([, name = ""]) => name);

test("the page names every bucket", () => {
  const wrong = docSection(page, "What is wrong");
  for (const bucket of requestBuckets) assert.ok(wrong.includes(`\`${bucket}\``), bucket);
});

test("every gate of the page can be read, and every named one is there", () => {
  const gates = firstColumn("Gates in CI");
  for (const gate of gates) parseGate(gate);
  for (const name of Object.keys(namedGates)) assert.ok(gates.includes(name), name);
  assert.ok(gateMetrics.includes("coverage_change"));
});

test("every command of the page runs, in its order", async ({ folder }) => {
  const lines = codeBlocks(page, "sh").flatMap((block) => block.trim().split("\n"));
  assert.ok(lines.length >= 14);
  assert.equal(lines.slice(0, begun.length), begun);
  for (const line of lines.slice(begun.length)) {
    const [program, ...args] = wordsOf(line);
    assert.is(program, "sluice");
    const { code, stdout, stderr } = await sluice(args, { cwd: folder });
    assert.is(code, 0, `${line}: ${stdout}${stderr}`);
  }
  const gates = parseXml(readFileSync(join(folder, "shop", "gates.xml"), "utf8"));
  assert.is(gates.attributes["tests"], "2");
});

test("the gates of the page hold for the project when they stand in its file", async ({ folder }) => {
  const [gates = ""] = codeBlocks(page, "yaml");
  appendFileSync(join(folder, "shop", "sluice.yaml"), gates);
  const { code, stdout } = await sluice(["run", "-C", "shop"], { cwd: folder });
  assert.is(code, 0, stdout);
  assert.match(stdout, /^ {2}pass +certified/m);
});

test("the workflow for a forge measures the project, and leaves the files that it uploads", async ({ folder }) => {
  const workflow = parse(readFileSync(join(packageRoot, "docs/examples/gate.yml"), "utf8")) as Workflow;
  const { steps } = workflow.jobs.gates;
  const lines = steps.flatMap(({ run }) => (run?.startsWith("npx sluice ") === true ? [run] : []));
  assert.is(lines.length, 2);
  renameSync(join(folder, "shop"), join(folder, "router"));
  for (const line of lines) {
    const { code, stdout, stderr } = await sluice(wordsOf(line).slice(2), { cwd: folder });
    assert.is(code, 0, `${line}: ${stdout}${stderr}`);
  }
  const uploaded = steps.at(-1)?.with?.path?.trim().split("\n") ?? [];
  assert.equal(
    uploaded.map((path) => existsSync(join(folder, path))),
    [true, true],
  );
  renameSync(join(folder, "router"), join(folder, "shop"));
});

test("the JavaScript of the page reads the exported table", ({ folder }) => {
  const [program = ""] = codeBlocks(page, "js");
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "notebook.mjs"), program);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["notebook.mjs"], { cwd: folder, encoding: "utf8" });
  assert.is(status, 0, stderr);
  assert.match(stdout, /workflow_id: '\w+',\s+errors: \d+,\s+confidence: 0\.\d+/);
});
