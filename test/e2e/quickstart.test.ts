import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { probeBody } from "../../stages/demonstration/probe.js";
import { quickstartSettings } from "../../stages/demonstration/settings.js";
import type { quickstartDocument } from "../../stages/demonstration/quickstart-document.js";
import { clopperPearsonLower } from "../../src/base/numbers/clopper-pearson.js";
import { sluice } from "../cli/support/sluice.js";
import { type Consumer, copyExample, installPacked, registryAnswers } from "../support/installed-package.js";
import { packageRoot } from "../support/package-root.js";
import { type Finished, type programs, runProgram, startProgram } from "../support/run-program.js";
import { skipTest } from "../support/shared.js";

/** Where the package is installed as anybody would, and the programs that run there; without a registry the checkout's. */
interface Shared {
  consumer: Consumer | null;
  programs: typeof programs;
  folder: string;
  workspace: string;
  quickstart: Finished;
  /** A server on a copy of the bundle, which several tests ask. */
  served?: { readonly bundle: string; readonly address: string; readonly stop: () => Promise<number | null> };
}

type QuickstartResult = ReturnType<typeof quickstartDocument>;

const test = suite<Shared>("e2e/quickstart");
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

/** Does the whole job with the example of docs/how-to/use-as-a-library.md on the shipped example data. */
const releaseProgram = `
import { releaseFromCsv } from "./workbench.mjs";

const { directory } = await releaseFromCsv({
  csv: "node_modules/sluice/datasets/example/support-requests.csv",
  folder: "my-router",
  producer: "ann",
  approvers: ["bo", "cy"],
  passphraseOf: async (name) => "for this test only: " + name,
  target: 0.3,
});
console.log(directory);
`;

test.before(async (shared) => {
  shared.consumer = hasRegistry ? installPacked() : null;
  shared.folder = shared.consumer?.folder ?? (await mkdtemp(join(tmpdir(), "sluice-e2e-")));
  const home = shared.consumer === null ? packageRoot : join(shared.folder, "node_modules", "sluice");
  shared.programs = { sluice: join(home, "dist/cli/main.js"), serve: join(home, "dist/serve/main.js") };
  shared.workspace = join(shared.folder, "sluice-workspace");
  const options = ["--check", "--compare", "--json", "--workspace", shared.workspace];
  shared.quickstart = await runProgram(shared.programs.sluice, ["quickstart", ...options]);
});

test.after(async ({ consumer, folder, served }) => {
  await served?.stop();
  consumer?.remove();
  await rm(folder, { recursive: true, force: true });
});

function resultOf({ quickstart }: Shared): QuickstartResult {
  const document = JSON.parse(quickstart.stdout) as { readonly schema: string; readonly result: QuickstartResult };
  assert.is(document.schema, "quickstart@1");
  return document.result;
}

/** A copy of the exported bundle that a test may damage. */
async function bundleCopy({ folder, workspace }: Shared, name: string): Promise<string> {
  const copy = join(folder, name);
  await cp(join(workspace, "bundle"), copy, { recursive: true });
  return copy;
}

function serverArguments(bundle: string, trust: string, port: number): readonly string[] {
  const files = ["--bundle", bundle, "--trust", trust];
  return [...files, "--allow-demonstration", "--authorizer", "local", "--port", String(port)];
}

const serve = (shared: Shared, bundle: string): Promise<Finished> =>
  runProgram(shared.programs.serve, serverArguments(bundle, join(shared.workspace, "trust.json"), 0));

async function startServer(shared: Shared, bundle: string, port = 0) {
  const trust = join(shared.workspace, "trust.json");
  const running = startProgram(shared.programs.serve, serverArguments(bundle, trust, port));
  const [, address = ""] = await running.untilStderr(/listens on (http:\S+?):? /);
  const stop = async (): Promise<number | null> => {
    running.child.kill("SIGTERM");
    return (await running.finished).code;
  };
  return { address, stop };
}

async function served(shared: Shared) {
  if (shared.served !== undefined) return shared.served;
  const bundle = await bundleCopy(shared, "served");
  shared.served = { bundle, ...(await startServer(shared, bundle)) };
  return shared.served;
}

test("the whole job exits 0 and prints one JSON document", (shared) => {
  assert.is(shared.quickstart.code, 0, shared.quickstart.stderr);
  assert.is(shared.quickstart.stdout.trimEnd().split("\n").at(-1)?.at(-1), "}");
  assert.is(shared.quickstart.stderr, "");
  assert.match(resultOf(shared).bundle_id, /^[0-9a-f]{64}$/);
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

test("every metric has its counts and every stage its time", (shared) => {
  const { metrics, stage_ms } = resultOf(shared);
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
  assert.equal(Object.keys(stage_ms), [
    "data",
    "score",
    "catalog_claim",
    "split",
    "baseline",
    "take_over",
    "calibrate",
    "sign",
    "report",
    "start",
  ]);
});

/**
 * Whether a page states a sentence with its numbers. Sums of the int8 encoder are rounded by each processor in its own way,
 * so a few of the shipped requests are decided otherwise on another one: a number may differ by 5, or by 3 %.
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
  const page = "It routes 256 of 712; 68 wrong of 1,019 routed (6.7 %). And more.";
  assert.ok(states(page, "68 wrong of 1,019 routed (6.7 %)."));
  assert.ok(states(page, "69 wrong of 1,021 routed (6.8 %)."));
  assert.not(states(page, "68 wrong of 1,219 routed (5.6 %)."));
  assert.not(states(page, "68 right of 1,019 routed (6.7 %)."));
});

test("the README and the page of the demonstration state what the job prints", async (shared) => {
  const { claims, metrics, baseline } = resultOf(shared);
  const readme = await readFile(join(packageRoot, "README.md"), "utf8");
  const page = await readFile(join(packageRoot, "bench/demonstration.md"), "utf8");
  for (const { sentence, served } of claims) {
    assert.ok(states(page, sentence ?? "no claim"), `the page lacks: ${sentence}`);
    if (served) assert.ok(states(readme, sentence ?? "no claim"), `README.md lacks: ${sentence}`);
  }
  const { retrieval_top1, retrieval_recall_at_5, verified_top1, coverage, selective_risk, out_of_scope_routed } =
    metrics;
  const paired = (baseline?.measures ?? []).filter(({ name }) => name === "coverage" || name === "selective_risk");
  const rates = [
    retrieval_top1,
    retrieval_recall_at_5,
    verified_top1,
    coverage,
    selective_risk,
    out_of_scope_routed,
    ...metrics.tiers.flatMap(({ eval_routed, eval_selective_risk }) => [eval_routed, eval_selective_risk]),
    ...paired.map(({ baseline: lexical }) => lexical),
  ];
  for (const rate of rates)
    assert.ok(states(page, `| ${rate?.k} / ${rate?.n} `), `the page lacks ${rate?.k} / ${rate?.n}`);
});

test("the numbers of the primer's figures are nearly those of the job", ({ workspace }) => {
  const args = ["scripts/primer-figures.mjs", "--check", workspace];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: packageRoot, encoding: "utf8" });
  assert.equal([status, stdout], [0, ""]);
});

test("the three requests of the README get the decisions that it shows", async (shared) => {
  const readme = await readFile(join(packageRoot, "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| ([^|]+) \| `([A-Z_]+)`(?: (?:to|for) `([^`]+)`)? \|/gm)];
  assert.equal(
    rows.map(([, , decision]) => decision),
    ["ROUTE", "CLARIFY", "LLM_REQUIRED"],
  );
  const { address, bundle } = await served(shared);
  const { catalog } = await loadCatalog(join(bundle, bundleFiles.catalog));
  const allowed = catalog.workflows.map(({ workflowId }) => workflowId);
  for (const [, text = "", decision, workflow] of rows) {
    const response = await fetch(`${address}/v1/route`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(probeBody(text, catalog.catalogVersion, allowed)),
    });
    const answer = (await response.json()) as { readonly decision: string; readonly workflow_id: string | null };
    assert.equal([answer.decision, answer.workflow_id], [decision, workflow ?? null], text);
  }
});

test("the lexical models are shown next to it, paired by request", (shared) => {
  const { metrics, baseline } = resultOf(shared);
  assert.ok(baseline !== null);
  assert.equal(
    baseline.measures.map(({ name }) => name),
    ["coverage", "in_scope_right", "out_of_scope_routed", "joint_risk", "selective_risk"],
  );
  const [coverage] = baseline.measures;
  const { k, n } = metrics.coverage;
  assert.equal([coverage?.own.k, coverage?.own.n, coverage?.baseline.n], [k, n, n]);
  assert.ok(baseline.retrieval_top1.k < metrics.retrieval_top1.k);
});

test("the bundle holds the shipped checkpoint", async ({ workspace }) => {
  for (const file of ["retriever/model.onnx", "verifier/model.onnx"]) {
    const shipped = await readFile(join(packageRoot, "models", "default", file));
    assert.ok(shipped.equals(await readFile(join(workspace, "bundle", "models", file))), file);
  }
});

test("the overall claim is certified at 10 %, routes at least 28 % of EVAL, and holds there within its interval", (shared) => {
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
      ["new_workflows", "overall", 0.1, "0.9696", true, true],
      ["this_catalog", "overall", 0.05, "0.9696", true, false],
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

test("one flipped byte in any file of the bundle is refused with exit 4, naming the file, by the server too", async (shared) => {
  const bundle = await bundleCopy(shared, "flipped");
  const files = (await readdir(bundle, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  assert.ok(files.length >= 12);
  const trust = join(shared.workspace, "trust.json");
  for (const [index, entry] of files.entries()) {
    const path = join(entry.parentPath, entry.name);
    const original = await readFile(path);
    const damaged = Buffer.from(original);
    const position = Math.floor(original.length / 2);
    damaged[position] = (original[position] ?? 0) ^ 1;
    await writeFile(path, damaged);
    const verify = ["bundle", "verify", bundle, "--trust", trust, "--environment", quickstartSettings.environment];
    const refusals = [await sluice(verify, { cwd: shared.folder })];
    if (index % 6 === 0) refusals.push(await serve(shared, bundle));
    await writeFile(path, original);
    for (const { code, stderr } of refusals) {
      assert.is(code, 4, `${entry.name}: ${stderr}`);
      assert.ok(stderr.includes(path.slice(bundle.length + 1)), `${entry.name} is not named: ${stderr}`);
    }
  }
});

test("a bundle with one approval removed is refused with exit 4, saying 1 of 2", async (shared) => {
  const bundle = await bundleCopy(shared, "one-approval");
  const [first = ""] = await readdir(join(bundle, "approvals"));
  await rm(join(bundle, "approvals", first));
  const { code, stderr } = await serve(shared, bundle);
  assert.is(code, 4);
  assert.match(stderr, /1 of 2/);
});

test("the bundle is a demonstration: it is refused as production, and says what it is where it is served", async (shared) => {
  const bundle = join(shared.workspace, "bundle");
  const args = serverArguments(bundle, join(shared.workspace, "trust.json"), 0);
  const production = await runProgram(
    shared.programs.serve,
    args.filter((word) => word !== "--allow-demonstration"),
  );
  assert.is(production.code, 4, production.stderr);
  assert.match(production.stderr, /WRONG_ENVIRONMENT|demonstration/u);
  const { next } = JSON.parse(shared.quickstart.stdout) as { readonly next: readonly string[] };
  assert.match(next.find((line) => line.includes("sluice-serve")) ?? "", / --allow-demonstration /u);
  const { address } = await served(shared);
  const health = (await (await fetch(`${address}/health`)).json()) as { readonly demonstration?: boolean };
  assert.is(health.demonstration, true);
});

test("another trust policy, or none, is refused", async (shared) => {
  const bundle = join(shared.workspace, "bundle");
  const missing = await runProgram(shared.programs.serve, serverArguments(bundle, join(shared.folder, "none.json"), 0));
  assert.is(missing.code, 2);
  assert.match(missing.stderr, /none\.json/);
});

test("a port in use is refused with exit 2", async (shared) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { readonly port: number };
  const [bundle, trust] = [join(shared.workspace, "bundle"), join(shared.workspace, "trust.json")];
  const server = await runProgram(shared.programs.serve, serverArguments(bundle, trust, port));
  const workspace = join(shared.folder, "never-made");
  const early = await runProgram(shared.programs.sluice, [
    "quickstart",
    "--port",
    String(port),
    "--workspace",
    workspace,
  ]);
  holder.close();
  for (const { code, stderr } of [server, early]) {
    assert.is(code, 2);
    assert.match(stderr, /PORT_IN_USE/);
  }
  assert.not(existsSync(workspace));
});

test("the production contract: 409, 413 and 422 with problem details", async (shared) => {
  const { address } = await served(shared);
  const post = async (body: string): Promise<{ readonly status: number; readonly code: string }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${address}/v1/route`, { method: "POST", headers, body });
    return { status: response.status, code: ((await response.json()) as { code: string }).code };
  };
  assert.equal(await post(JSON.stringify({ text: "x", catalog_version: "another" })), {
    status: 409,
    code: "CATALOG_VERSION_MISMATCH",
  });
  assert.equal(await post(JSON.stringify({ text: "" })), { status: 422, code: "REQUEST_INVALID" });
  assert.is((await post(JSON.stringify({ text: "x".repeat(2_200_000) }))).status, 413);
});

test("the server serves, turns not ready when a file changes, recovers when it is restored, and ends with 0", async (shared) => {
  const { address, bundle, stop } = await served(shared);
  const ready = async (): Promise<number> => (await fetch(`${address}/health/ready`)).status;
  assert.is(await ready(), 200);
  const file = join(bundle, "policy.json");
  const original = await readFile(file);
  await writeFile(file, Buffer.concat([original, Buffer.from(" ")]));
  assert.is(await ready(), 503);
  const refused = await fetch(`${address}/v1/route`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "unlock my account", allowed_workflow_ids: [] }),
  });
  assert.is(refused.status, 200);
  assert.is(((await refused.json()) as { reason_code: string }).reason_code, "RUNTIME_INTEGRITY_FAILURE");
  await writeFile(file, original);
  let status = await ready();
  for (let attempt = 0; status !== 200 && attempt < 500; attempt += 1) status = await ready();
  assert.is(status, 200);
  assert.is((await fetch(`${address}/health/live`)).status, 200);
  assert.is(await stop(), 0);
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
  const { code, stdout } = run("npx", "sluice", "doctor");
  assert.is(code, 0, stdout);
  assert.match(stdout, /^ok +better-sqlite3 .*\nok +onnxruntime-node /m);
});

holdsFor("a refusal names a next command that exists there", ({ run }) => {
  const refused = run("npx", "sluice", "calibrate", "show", "--workspace", "none");
  assert.match(refused.stderr, /^hint +.*npx sluice /m);
});

holdsFor("the installed program derives the claim of the quickstart again", ({ run }) => {
  const { code, stdout, stderr } = run("npx", "sluice", "reproduce");
  assert.is(code, 0, stderr);
  assert.match(stdout, /^verdict +equal/m);
});

holdsFor("the in-process example serves the bundle of the quickstart from there", (consumer) => {
  copyExample(consumer, "in-process.mjs");
  writeFileSync(join(consumer.folder, "ask.mjs"), program);
  const { code, stdout, stderr } = consumer.run("node", "ask.mjs");
  assert.is(code, 0, stderr);
  assert.equal(JSON.parse(stderr.trim().split("\n").at(-1) ?? ""), [200, 13]);
  assert.match(stdout, /"event":"sluice.decision"/);
});

holdsFor("the workbench example goes from a CSV to an exported bundle from there", (consumer) => {
  copyExample(consumer, "workbench.mjs");
  writeFileSync(join(consumer.folder, "release.mjs"), releaseProgram);
  const { code, stdout, stderr } = consumer.run("node", "release.mjs");
  assert.is(code, 0, stderr);
  assert.ok(existsSync(join(consumer.folder, stdout.trim(), "manifest.dsse.json")));
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

test.run();
