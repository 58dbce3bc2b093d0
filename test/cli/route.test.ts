import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { decisionLines } from "../../cli/commands/route/explain-lines.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { assert, inTemporaryFolder, pluck, testWith } from "../support/test.js";
import { post } from "../serve/support/http.js";
import { programs, startProgram } from "../support/run-program.js";
import { sluice } from "./support/sluice.js";
import { scoreSmallWorkspace, succeed } from "./support/small-workspace.js";

const test = testWith<{ cwd?: string; run?: string }>();

const text = "unlock dana.kim pls";

test.before(async (context) => {
  const cwd = await mkdtemp(join(tmpdir(), "sluice-route-"));
  context.cwd = cwd;
  context.run = await scoreSmallWorkspace(cwd);
});

test.after(({ cwd }) => rm(cwd ?? "", { recursive: true, force: true }));

interface Routed {
  readonly shortlist: readonly { readonly workflow_id: string }[];
  readonly response: {
    readonly decision: string;
    readonly reason_code: string;
    readonly confidence: number;
    readonly candidates: readonly { readonly workflow_id: string; readonly confidence: number }[] | null;
  };
  readonly trace: {
    readonly active_workflows: number;
    readonly eligible_workflows: number;
    readonly scores: {
      readonly best_retrieval: number;
      readonly ineligible_competitors: number;
      readonly candidates: readonly { readonly workflow_id: string; readonly confidence: number }[];
      readonly changes: readonly { readonly kind: string; readonly value?: number }[];
    } | null;
  } | null;
}

test("a report of a run without a calibration promises nothing", async ({ cwd = "" }) => {
  const report = await succeed<{ verdict: string; sentence: string }>(cwd, "report", "eval", "--out", "early.json");
  assert.is(report.verdict, "NOT SHOWN");
  assert.match(report.sentence, "no calibration was used");
});

test("reports are written by the ending of the file, and each is one record", async ({ cwd = "", run }) => {
  await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
  const html = await succeed<{ report: string; file: string }>(cwd, "report", "eval");
  assert.is((await succeed<{ report: string }>(cwd, "report", "eval", "--run", run ?? "")).report, html.report);
  assert.match(await readFile(join(cwd, "sluice-workspace", "report.html"), "utf8"), /^<!doctype html>/);
  await succeed(cwd, "report", "eval", "--out", "report.md");
  const markdown = await readFile(join(cwd, "report.md"), "utf8");
  assert.match(markdown, /^# Evaluation report/);
  assert.match(markdown, "The run compared with BM25: ");
  const log = await succeed<{ entries: { sha256: string }[] }>(cwd, "history", "log", "--kind", "report");
  assert.is(log.entries.length, 3);
  assert.ok(log.entries.some(({ sha256 }) => sha256 === html.report));
});

test("a report contains request texts only with the flag", async ({ cwd = "" }) => {
  const explorerOf = async (file: string, ...options: readonly string[]) => {
    await succeed(cwd, "report", "eval", "--out", file, ...options);
    const { explorer } = JSON.parse(await readFile(join(cwd, file), "utf8")) as {
      explorer: { ids: readonly string[]; texts: readonly string[] | null };
    };
    return explorer;
  };
  assert.is((await explorerOf("plain.json")).texts, null);
  const { ids, texts } = await explorerOf("texts.json", "--with-texts");
  assert.is(texts?.length, ids.length);
  assert.ok(texts?.every((text) => text.length > 0));
});

test("an extension other than .html, .md or .json is refused", async ({ cwd = "" }) => {
  const { code, stderr } = await sluice(["report", "eval", "--out", "report.pdf"], { cwd });
  assert.is(code, 2);
  assert.match(stderr, 'USAGE: --out: found "report.pdf"');
});

test("one request is routed, from the command line and from stdin alike, and its text is not repeated", async ({
  cwd = "",
}) => {
  const typed = await sluice(["route", "--text", text], { cwd });
  const piped = await sluice(["route", "--text", "-"], { cwd, input: `${text}\n` });
  assert.is(typed.code, 0, typed.stderr);
  const decided = (output: string): string => output.replace(/latency.*\n/, "");
  assert.is(decided(piped.stdout), decided(typed.stdout));
  assert.match(typed.stdout, /^decision {4}\w+/);
  assert.not.match(typed.stdout + typed.stderr, "dana");
});

test("--explain shows every step from text to decision in --json", async ({ cwd = "" }) => {
  const { response, trace } = await succeed<Routed>(cwd, "route", "--text", text, "--explain");
  if (!trace?.scores || !response.candidates) throw new TypeError("nothing was scored");
  const [first, second] = response.candidates.map(({ confidence }) => confidence);
  assert.is(trace.scores.candidates[0]?.workflow_id, "it_access.unlock_account");
  assert.is(trace.eligible_workflows, trace.active_workflows);
  const changes = new Map(trace.scores.changes.map((change) => [change.kind, change.value]));
  assert.is(changes.get("confidence"), first);
  assert.is(changes.get("margin"), Number((Number(first) - Number(second)).toFixed(6)));
});

test("--explain fits on one screen and repeats no text", async ({ cwd = "" }) => {
  const { response } = await succeed<Routed>(cwd, "route", "--text", text, "--explain");
  const confidence = response.candidates?.[0]?.confidence;
  const { stdout } = await sluice(["route", "--text", text, "--explain"], { cwd });
  assert.match(stdout, /^eligible {3}\d+ of \d+ active workflows$/m);
  assert.match(stdout, /^retrieval {2}best [\d.]+, floor [-\d.]+: met/m);
  assert.match(stdout, /^1 {2}it_access\.unlock_account {2}.*none$/m);
  assert.match(stdout, /^margin {6}[\d.]+ (reaches|needs) /m);
  assert.match(stdout, new RegExp(`^confidence {2}${confidence} (reaches|needs) `, "m"));
  assert.match(stdout, new RegExp(`^reason {6}${response.reason_code}: `, "m"));
  assert.match(stdout, /^latency {5}[\d.]+ ms$/m);
  assert.ok(stdout.split("\n").length <= 24, "one screen");
  assert.not.match(stdout, "dana");
});

test("sluice serve answers from the same records, in development mode", async ({ cwd = "" }) => {
  const { response } = await succeed<Routed>(cwd, "route", "--text", text);
  const running = startProgram(programs.sluice, ["serve", "--port", "0"], {}, cwd);
  const [, address = ""] = await running.untilStderr(/^serving +(http:\S+)/mu);
  const { body } = await post(address, { text });
  assert.equal(
    [body["decision"], body["reason_code"], body["confidence"], body["runtime_mode"]],
    [response.decision, response.reason_code, response.confidence, "development"],
  );
  running.child.kill("SIGINT");
  assert.is((await running.finished).code, 0);
});

test("a declined request shows its shortlist, and sluice mcp finds the same tools for a client of the SDK", async ({
  cwd = "",
}) => {
  const declined = await succeed<Routed>(cwd, "route", "--text", "zebra crossing at the office");
  assert.is(declined.response.decision, "LLM_REQUIRED");
  const client = new Client({ name: "test", version: "1" });
  const args = [programs.sluice, "mcp"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" }));
  const { tools } = await client.listTools();
  assert.equal(pluck(tools, "name"), ["find_tools"]);
  const found = await client.callTool({ name: "find_tools", arguments: { query: "zebra crossing at the office" } });
  const { tools: listed } = found.structuredContent as { readonly tools: readonly { readonly name: string }[] };
  assert.equal(
    pluck(listed, "name"),
    declined.shortlist.map(({ workflow_id: id }) => id),
  );
  await client.close();
});

test("the question which workflow is meant is shown", () => {
  const workflow = (workflowId: string) => ({
    workflow_id: workflowId as WorkflowId,
    confidence: 0.4,
    missing_inputs: [],
  });
  const lines = decisionLines({
    request_id: "r",
    decision: "CLARIFY",
    workflow_id: null,
    confidence: 0.4,
    reason_code: "ASK_BETWEEN",
    missing_inputs: [],
    confirmation_required: false,
    model_version: "m",
    calibration_version: "c",
    catalog_version: "v",
    runtime_mode: "development",
    latency_ms: 1,
    candidates: null,
    shortlist: { workflows: [workflow("a.one"), workflow("b.two")], complete: true, reason_code: "SHORTLISTED" },
  });
  assert.match(lines.join("\n"), /^decision +CLARIFY\nreason +ASK_BETWEEN: .+\nask +a\.one or b\.two\?$/m);
});

test("without --explain there is no trace", async ({ cwd = "" }) => {
  const { response, trace } = await succeed<Routed>(cwd, "route", "--text", text);
  assert.equal([trace, response.candidates], [null, null]);
});

test("a better match that the caller may not use is reported and never named", async ({ cwd = "" }) => {
  const args = ["route", "--text", text, "--explain", "--allowed", "it_access.reset_mfa"];
  for (const { stdout, stderr } of [await sluice(args, { cwd }), await sluice([...args, "--json"], { cwd })]) {
    assert.match(stdout, "BETTER_MATCH_NOT_ALLOWED");
    assert.not.match(stdout + stderr, "unlock_account");
  }
});

test("a list of allowed workflows limits the candidates; an unknown one is named", async ({ cwd = "" }) => {
  const { response } = await succeed<Routed>(
    cwd,
    "route",
    "--text",
    text,
    "--allowed",
    "it_access.unlock_account",
    "--explain",
  );
  assert.equal(
    response.candidates?.map(({ workflow_id }) => workflow_id),
    ["it_access.unlock_account"],
  );
  const { stdout, stderr } = await sluice(["route", "--text", text, "--allowed", "no.such"], { cwd });
  assert.match(stdout, "NO_ELIGIBLE_WORKFLOW");
  assert.match(stderr, "warning  the catalog has no workflow no.such");
});

test("--previous makes a follow-up, whose explanation says what it follows; an unknown workflow counts as none", async ({
  cwd = "",
}) => {
  const own = "it_access.unlock_account";
  const route = (...more: readonly string[]) => sluice(["route", "--text", text, "--explain", ...more], { cwd });
  assert.match((await route("--previous", own)).stdout, /^follows +it_access\.unlock_account$/m);
  const other = await route("--previous", "it_access.reset_mfa");
  assert.match(other.stdout, /^reason +CONTEXT_NEEDED: /m);
  for (const previous of ["no.such", "none"]) {
    assert.match((await route("--previous", previous)).stdout, /^follows +no workflow that the caller may use$/m);
  }
  assert.match((await route("--previous", "no.such")).stderr, "the catalog has no workflow no.such");
  assert.not.match((await route()).stdout, /^follows/m);
});

test("known inputs come from --context; what is not a JSON object is refused without repeating it", async ({
  cwd = "",
}) => {
  const missing = async (...more: readonly string[]): Promise<boolean> => {
    const { stdout } = await sluice(["route", "--text", "locked out after 5 tries", "--explain", ...more], { cwd });
    return /^1 {2}it_access\.unlock_account .*username$/m.test(stdout);
  };
  assert.is(await missing(), true);
  assert.is(await missing("--context", '{"username": "dana.kim"}'), false);

  for (const wrong of ["[1]", "{dana", '"dana"']) {
    const { code, stderr } = await sluice(["route", "--text", "x", "--context", wrong], { cwd });
    assert.is(code, 2);
    assert.not.match(stderr, "dana");
  }
});

test("a server with another catalog version gets its own, and says when a later calibration was made", async ({
  cwd = "",
}) => {
  const file = join(cwd, "other.json");
  const catalog = JSON.parse(await readFile(join(cwd, "catalog.yaml"), "utf8")) as {
    catalog_version: string;
    workflows: readonly { workflow_id: string }[];
  };
  await writeFile(file, JSON.stringify({ ...catalog, catalog_version: "other-9" }));
  const running = startProgram(programs.sluice, ["serve", "--port", "0", "--catalog", "other.json"], {}, cwd);
  const [, address = ""] = await running.untilStderr(/^serving +(http:\S+)/mu);
  const { code, stdout, stderr } = await sluice(["route", "--server", address, "--text", text], { cwd });
  assert.is(code, 0, stderr);
  assert.match(stdout, "catalog other-9");
  assert.match(stderr, `catalog other-9 on the server, ${catalog.catalog_version} locally. The request named the`);
  await inTemporaryFolder(async (elsewhere) => {
    const unnamed = await sluice(["route", "--server", address, "--text", text], { cwd: elsewhere });
    assert.is(unnamed.code, 2);
    assert.match(unnamed.stderr, "Name them: sluice route --allowed ID,ID --server URL --text TEXT");
    const [id = ""] = catalog.workflows.map(({ workflow_id }) => workflow_id);
    const named = ["route", "--server", address, "--text", text, "--allowed", id];
    assert.match((await sluice(named, { cwd: elsewhere })).stdout, "catalog other-9");
  });
  await succeed(cwd, "calibrate", "fit", "--target", "0.65", "--delta", "0.6");
  await post(address, { text });
  await running.untilStderr(/^warning +calibration [0-9a-f]{12} is newer: restart to serve it$/mu);
  running.child.kill("SIGINT");
  assert.is((await running.finished).code, 0);
});

test("a blank text names the rule that it breaks", async ({ cwd = "" }) => {
  const { code, stderr } = await sluice(["route", "--text", "  "], { cwd });
  assert.is(code, 2);
  assert.match(stderr, "text must be a text of 1 to 8000 characters");
});
