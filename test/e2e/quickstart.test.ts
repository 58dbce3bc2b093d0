import type { Invocation } from "../../src/base/invocation.js";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { probeBody } from "../../stages/demonstration/probe.js";
import type { quickstartDocument } from "../../stages/demonstration/quickstart-document.js";
import { clopperPearsonLower } from "../../src/base/numbers/clopper-pearson.js";
import { assert, packageRoot, skipTest, testWith } from "../support/test.js";
import { sluice } from "../cli/support/sluice.js";
import { type Consumer, copyExample, installPacked, registryAnswers } from "../support/installed-package.js";
import { type Finished, type programs, runProgram, startProgram } from "../support/run-program.js";

/** Where the package is installed as anybody would, and the programs that run there; without a registry the checkout's. */
interface Shared {
  consumer: Consumer | null;
  programs: typeof programs;
  folder: string;
  workspace: string;
  quickstart: Finished;
}

type QuickstartResult = ReturnType<typeof quickstartDocument>;

const test = testWith<Shared>();
const hasRegistry = registryAnswers();

/** Loads the bundle of the quickstart with the example of docs/examples/in-process.mjs, asks once, and ends. */
const program = `
import { readFileSync } from "node:fs";
import { LoggingTelemetrySink } from "sluice/serve";
import { createService, loadBundle, stopService } from "./in-process.mjs";

const workspace = "sluice-workspace";
const router = await loadBundle(workspace + "/bundle", workspace + "/trust.json", {
  telemetry: new LoggingTelemetrySink(),
  environment: "demonstration",
  allowDemonstration: true,
});
const ids = [...router.workflowIds];
const service = createService(router, { authorizer: () => ids, trustedHosts: ["localhost"], principalOf: () => "me" });
const payload = { text: "my account is locked", catalog_version: router.lineage.catalogVersion, allowed_workflow_ids: ids };
const answer = await service.app.inject({ method: "POST", url: "/v1/route", headers: { host: "localhost" }, payload });
console.error(JSON.stringify([answer.statusCode, Object.keys(answer.json()).length]));
await stopService(service);
`;

/** Every entry of the package, and what it exports first. */
const entriesProgram = `
const names = ["sluice", "sluice/serve", "sluice/client", "sluice/workbench"];
const entries = await Promise.all(names.map((name) => import(name)));
console.log(entries.map((entry) => Object.keys(entry).length > 0).join());
`;

test.before(async (shared) => {
  shared.consumer = hasRegistry ? await installPacked() : null;
  shared.folder = shared.consumer?.folder ?? (await mkdtemp(join(tmpdir(), "sluice-e2e-")));
  const home = shared.consumer === null ? packageRoot : join(shared.folder, "node_modules", "sluice");
  shared.programs = { sluice: join(home, "dist/cli/main.js"), serve: join(home, "dist/serve/main.js") };
  shared.workspace = join(shared.folder, "sluice-workspace");
  const options = ["--check", "--json", "--workspace", shared.workspace];
  shared.quickstart = await runProgram(shared.programs.sluice, ["quickstart", ...options]);
});

test.after(async ({ consumer, folder }) => {
  consumer?.remove();
  await rm(folder, { recursive: true, force: true });
});

function resultOf({ quickstart }: Shared): QuickstartResult {
  const document = JSON.parse(quickstart.stdout) as { readonly schema: string; readonly result: QuickstartResult };
  assert.is(document.schema, "quickstart@1");
  return document.result;
}

/** The arguments of a server on a bundle of the workspace; port 0 is a free one. */
function serverArguments({ workspace }: Shared, bundle: string): readonly string[] {
  const files = ["--bundle", bundle, "--trust", join(workspace, "trust.json")];
  return [...files, "--allow-demonstration", "--authorizer", "local", "--port", "0"];
}

test("the whole job exits 0 and prints one JSON document", (shared) => {
  assert.is(shared.quickstart.code, 0, shared.quickstart.stderr);
  assert.is(shared.quickstart.stdout.trimEnd().split("\n").at(-1)?.at(-1), "}");
  assert.is(shared.quickstart.stderr, "");
  assert.match(resultOf(shared).bundle_id, /^[0-9a-f]{64}$/);
  const { next } = JSON.parse(shared.quickstart.stdout) as { readonly next: readonly Invocation[] };
  assert.ok(next.find(({ command }) => command === "sluice-serve")?.args.includes("--allow-demonstration"));
});

test("the production server answered one request for each decision", (shared) => {
  const { decisions } = resultOf(shared);
  assert.equal(
    decisions.map((d) => [d.decision, d.status, d.runtime_mode]),
    ["ROUTE", "CLARIFY", "LLM_REQUIRED"].map((decision) => [decision, 200, "production"]),
  );
  const [route, clarify, declined] = decisions;
  assert.match(route?.workflow_id ?? "", /\./);
  assert.equal(route?.missing_inputs, []);
  assert.ok((clarify?.missing_inputs.length ?? 0) > 0);
  assert.is(declined?.workflow_id, null);
});

test("every metric has its counts", (shared) => {
  const { metrics } = resultOf(shared);
  for (const rate of [
    metrics.retrieval_top1,
    metrics.retrieval_recall_at_5,
    metrics.coverage,
    metrics.selective_risk,
  ]) {
    assert.ok(rate.n > 0 && rate.k <= rate.n);
    assert.ok(rate.lower !== null && rate.upper !== null && rate.lower <= rate.upper);
  }
  assert.is(metrics.tiers.length, 4);
  assert.ok(metrics.tiers.some((tier) => tier.confidence !== null));
});

/**
 * Whether a page states a sentence with its numbers. Sums of the int8 encoder are rounded by each processor in its own way,
 * so a few of the shipped requests are decided otherwise on another one: a number may differ by 5, or by 3%.
 */
function states(page: string, sentence: string): boolean {
  const escaped = sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(escaped.replace(/\d(?:[\d,]|\\\.(?=\d))*/g, "(\\d[\\d,.]*)"), "g");
  const valuesOf = (text: string): readonly number[] =>
    (text.match(/\d(?:[\d,]|\.(?=\d))*/g) ?? []).map((number) => Number(number.replaceAll(",", "")));
  const expected = valuesOf(sentence);
  return [...page.matchAll(pattern)].some(([found]) =>
    valuesOf(found).every((value, place) => Math.abs(value - (expected[place] ?? 0)) <= Math.max(5, 0.03 * value)),
  );
}

test("a page states a sentence when its numbers are nearly those of the job", () => {
  const page = "It routes 256 of 712; 68 wrong of 1,019 routed (6.7%). And more.";
  assert.ok(states(page, "68 wrong of 1,019 routed (6.7%)."));
  assert.ok(states(page, "69 wrong of 1,021 routed (6.8%)."));
  assert.not(states(page, "68 wrong of 1,219 routed (5.6%)."));
  assert.not(states(page, "68 right of 1,019 routed (6.7%)."));
});

test("the README and the page of the demonstration state what the job prints", async (shared) => {
  const { claims, metrics } = resultOf(shared);
  const readme = await readFile(join(packageRoot, "README.md"), "utf8");
  const page = await readFile(join(packageRoot, "bench/demonstration.md"), "utf8");
  for (const { sentence, served } of claims) {
    assert.ok(states(page, sentence ?? "no claim"), `the page lacks: ${sentence}`);
    if (served) assert.ok(states(readme, sentence ?? "no claim"), `README.md lacks: ${sentence}`);
  }
  const { retrieval_top1, retrieval_recall_at_5, verified_top1, coverage, selective_risk, out_of_scope_routed } =
    metrics;
  const rates = [
    retrieval_top1,
    retrieval_recall_at_5,
    verified_top1,
    coverage,
    selective_risk,
    out_of_scope_routed,
    ...metrics.tiers.flatMap(({ eval_routed, eval_selective_risk }) => [eval_routed, eval_selective_risk]),
  ];
  for (const rate of rates)
    assert.ok(states(page, `| ${rate?.k} / ${rate?.n} `), `the page lacks ${rate?.k} / ${rate?.n}`);
});

test("the numbers of the primer's figures are nearly those of the job", ({ workspace }) => {
  const args = ["scripts/primer-figures.mjs", "--check", workspace];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: packageRoot, encoding: "utf8" });
  assert.equal([status, stdout], [0, ""]);
});

test("the three requests of the README get the decisions that it shows, from a server that ends with 0", async (shared) => {
  const readme = await readFile(join(packageRoot, "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| ([^|]+) \| `([A-Z_]+)`(?: (?:to|for) `([^`]+)`)? \|/gm)];
  assert.equal(
    rows.map(([, , decision]) => decision),
    ["ROUTE", "CLARIFY", "LLM_REQUIRED"],
  );
  const bundle = join(shared.workspace, "bundle");
  const server = startProgram(shared.programs.serve, serverArguments(shared, bundle));
  try {
    const [, address = ""] = await server.untilStderr(/listens on (http:\S+?):? /);
    const { catalog } = await loadCatalog(join(bundle, bundleFiles.catalog));
    const allowed = catalog.workflows.map(({ workflow_id: workflowId }) => workflowId);
    for (const [, text = "", decision, workflow] of rows) {
      const response = await fetch(`${address}/v1/route`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(probeBody(text, catalog.catalog_version, allowed)),
      });
      const answer = (await response.json()) as { readonly decision: string; readonly workflow_id: string | null };
      assert.equal([answer.decision, answer.workflow_id], [decision, workflow ?? null], text);
    }
  } finally {
    server.child.kill("SIGTERM");
  }
  assert.is((await server.finished).code, 0);
});

test("the bundle holds the shipped checkpoint", async ({ workspace }) => {
  for (const file of ["retriever/model.onnx", "verifier/model.onnx"]) {
    const shipped = await readFile(join(packageRoot, "models", "default", file));
    assert.ok(shipped.equals(await readFile(join(workspace, "bundle", "models", file))), file);
  }
});

test("the overall claim is certified at 10%, routes at least 28% of EVAL, and holds there within its interval", (shared) => {
  const { claims, metrics } = resultOf(shared);
  assert.equal(
    claims.map(({ population, scope, target_risk, confidence, certified, served }) => [
      population,
      scope,
      target_risk,
      confidence?.toFixed(4),
      certified,
      served,
    ]),
    [
      ["new_workflows", "overall", 0.1, "0.9600", true, true],
      ["this_catalog", "overall", 0.05, "0.9600", true, false],
    ],
  );
  const [overall] = claims;
  const { routed, wrong } = overall?.eval ?? { routed: { k: 0, n: 1 }, wrong: { k: 0, n: 0 } };
  assert.equal([routed.k, routed.n], [metrics.coverage.k, metrics.coverage.n]);
  assert.is(wrong.n, routed.k);
  assert.ok(routed.k / routed.n >= 0.28, `${routed.k} of ${routed.n}`);
  assert.ok((metrics.selective_risk.lower ?? 1) <= 0.1);
});

test("the stricter claim about this catalog routes on EVAL, and holds there within its interval", (shared) => {
  const { routed, wrong } = resultOf(shared).claims[1]?.eval ?? { routed: { k: 0, n: 1 }, wrong: { k: 0, n: 0 } };
  assert.ok(routed.k > 0.1 * routed.n, `${routed.k} of ${routed.n}`);
  assert.ok(clopperPearsonLower(wrong.k, wrong.n, 0.05) <= 0.05, `${wrong.k} of ${wrong.n}`);
});

test("the workspace holds history, trust policy, bundle, report and keys", async (shared) => {
  const { workspace } = shared;
  const names = await readdir(workspace);
  for (const name of ["history.db", "trust.json", "bundle", "report.html", "keys"])
    assert.ok(names.includes(name), name);
  const report = await readFile(join(workspace, "report.html"), "utf8");
  assert.ok((report.match(/<svg/g)?.length ?? 0) >= 2);
  const history = await runProgram(shared.programs.sluice, ["history", "verify", "--workspace", workspace]);
  assert.is(history.code, 0, history.stderr);
});

test("the server refuses a bundle with one flipped byte with exit 4, naming the file", async (shared) => {
  const bundle = join(shared.folder, "flipped");
  await cp(join(shared.workspace, "bundle"), bundle, { recursive: true });
  const path = join(bundle, "models", "verifier", "model.onnx");
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const { code, stderr } = await runProgram(shared.programs.serve, serverArguments(shared, bundle));
  assert.is(code, 4, stderr);
  assert.match(stderr, "models/verifier/model.onnx");
});

test("a port in use is refused with exit 2 before anything is made", async ({ folder }) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { readonly port: number };
  const workspace = join(folder, "never-made");
  const early = await sluice(["quickstart", "--port", String(port), "--workspace", workspace], { cwd: folder });
  holder.close();
  assert.is(early.code, 2);
  assert.match(early.stderr, /PORT_IN_USE/);
  assert.not(existsSync(workspace));
});

/** What holds of the installed package only. */
function holdsFor(name: string, body: (consumer: Consumer) => void): void {
  if (!hasRegistry) {
    skipTest(name, "an npm registry that answers");
    return;
  }
  test(name, ({ consumer }) => {
    assert.ok(consumer !== null);
    body(consumer);
  });
}

holdsFor("a plain npm install needs the npm registry and nothing else, and warns about no engine", ({ installed }) => {
  assert.is(installed.code, 0, installed.stderr);
  assert.not.match(installed.stderr, /EBADENGINE|deprecated/);
});

holdsFor("the installed doctor finds everything in order", ({ run }) => {
  const { code, stdout } = run("npx", "sluice", "doctor", "--workspace", "none");
  assert.is(code, 0, stdout);
  assert.match(stdout, /^ok +better-sqlite3 .*\nok +onnxruntime-node /m);
});

holdsFor("a refusal names a next command that exists there", ({ run }) => {
  const refused = run("npx", "sluice", "calibrate", "show", "--workspace", "none");
  assert.match(refused.stderr, /^hint +.*npx sluice /m);
});

holdsFor("the in-process example serves the bundle of the quickstart from there", (consumer) => {
  copyExample(consumer, "in-process.mjs");
  writeFileSync(join(consumer.folder, "ask.mjs"), program);
  const { code, stdout, stderr } = consumer.run("node", "ask.mjs");
  assert.is(code, 0, stderr);
  assert.equal(JSON.parse(stderr.trim().split("\n").at(-1) ?? ""), [200, 13]);
  assert.match(stdout, /"event":"sluice.decision"/);
});

holdsFor("every entry of the package can be imported, and its example data is there", ({ folder, run }) => {
  const { stdout, stderr } = run("node", "--input-type=module", "--eval", entriesProgram);
  assert.is(stdout.trim(), "true,true,true,true", stderr);
  assert.ok(existsSync(join(folder, "node_modules", "sluice", "datasets", "example", "support-requests.csv")));
});

holdsFor("every page that the README links to is in the package", ({ folder }) => {
  const home = join(folder, "node_modules", "sluice");
  const links = [...readFileSync(join(home, "README.md"), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)];
  assert.ok(links.length > 15);
  assert.equal(
    links.map(([, path = ""]) => path).filter((path) => !existsSync(join(home, path))),
    [],
  );
});
