import { lineOf, type Invocation } from "../../src/base/invocation.js";
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "../../cli/run-cli.js";
import { startPageServer } from "../../serve/pages/page-server.js";
import { createProject, openWorkbench } from "../../stages/index.js";
import { workspacePages } from "../../stages/overview.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { approveAs, inRelease } from "./support/release-workspace.js";
import { succeed } from "./support/small-workspace.js";
import { testWorld } from "./support/test-world.js";

/** Runs `sluice ui` in this process while `use` looks at its pages. */
async function withUi(
  args: readonly string[],
  use: (address: string) => Promise<void>,
): Promise<{ readonly code: number; readonly stdout: string; readonly said: string }> {
  const stop = new AbortController();
  let open: (address: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    open = resolve;
  });
  const world = testWorld({
    clock: () => new Date().getTime(),
    signal: stop.signal,
    stderr: (text) => {
      world.written.stderr += text;
      const [, address] = /^open +(\S+)\/$/mu.exec(text) ?? [];
      if (address !== undefined) open(address);
    },
  });
  const finished = runCli(["ui", "--port", "0", ...args], world);
  try {
    await Promise.race([opened.then(use), finished]);
  } finally {
    stop.abort();
  }
  const code = await finished;
  return { code, stdout: world.written.stdout, said: world.written.stderr };
}

test("a project is shown as sluice status says it, and nothing is created", () =>
  inTemporaryFolder(async (folder) => {
    const workspace = join(folder, "workspace");
    const workbench = await openWorkbench({ folder: workspace, actor: "ann", clock: () => 0 });
    const source = join(packageRoot, "datasets", "example", "support-requests.csv");
    await createProject(workbench, { into: join(folder, "router"), source });
    const place = ["--workspace", workspace, "--file", join(folder, "router", "sluice.yaml")];
    const world = testWorld();
    assert.is(await runCli(["status", "--json", ...place], world), 0);
    const status = JSON.parse(world.written.stdout) as {
      readonly result: { readonly project: string; readonly steps: readonly { readonly name: string }[] };
      readonly next: readonly Invocation[];
    };
    const before = readdirSync(folder, { recursive: true });
    const { code, stdout } = await withUi(place, async (address) => {
      const page = await (await fetch(`${address}/`)).text();
      assert.match(page, `<title>Sluice: ${status.result.project}</title>`);
      const steps = [...page.matchAll(/<th role="rowheader" scope="row">([^<]+)<\/th>/gu)].map(([, name]) => name);
      assert.equal(
        steps,
        status.result.steps.map(({ name }) => name),
      );
      assert.match(page, "missing");
      for (const line of status.next.map(lineOf)) assert.match(page, line.replaceAll("'", "&#39;"));
      assert.is((await fetch(`${address}/reports/run/0123abcd`)).status, 404);
    });
    assert.is(code, 0);
    assert.match(stdout, /^2 pages shown at http:\/\/127\.0\.0\.1:\d+$/mu);
    assert.equal(readdirSync(folder, { recursive: true }), before);
  }));

test("an empty folder says what to do first, and a broken project file what is wrong", () =>
  inTemporaryFolder(async (folder) => {
    const place = ["--workspace", join(folder, "workspace"), "--file"];
    await withUi([...place, join(folder, "sluice.yaml")], async (address) => {
      assert.match(await (await fetch(`${address}/`)).text(), "sluice init FILE");
    });
    await withUi([...place, join(packageRoot, "package.json")], async (address) => {
      const answer = await fetch(`${address}/`);
      assert.is(answer.status, 200);
      assert.match(await answer.text(), "DOCUMENT_INVALID: ");
    });
  }));

test("the box shows the decision on a text: the confidence of the first workflow, and odds of the others", () =>
  inRelease(async (cwd) => {
    const place = ["--workspace", join(cwd, "sluice-workspace"), "--file", join(cwd, "sluice.yaml")];
    await withUi(place, async (address) => {
      const page = await (await fetch(`${address}/`)).text();
      const [, token = ""] = /name="token" value="([^"]+)"/u.exec(page) ?? [];
      const send = (fields: Record<string, string>): Promise<Response> =>
        fetch(`${address}/`, { method: "POST", body: new URLSearchParams(fields) });
      assert.is((await send({ text: "stop my card", token: "other" })).status, 400);
      const answer = await (await send({ text: "stop my card", token })).text();
      const [first = "", ...others] = [...answer.matchAll(/<td[^>]* class="num">([^<]+)<\/td>/gu)].map(
        ([, cell]) => cell,
      );
      assert.match(first, /^[\d.]+ ?%$/u);
      assert.ok(others.length > 0);
      const odds = others.slice(
        0,
        others.findIndex((cell) => !cell?.includes(":")),
      );
      for (const cell of odds) assert.match(cell ?? "", /^(?:< )?1 : [\d,.]+$/u);
      assert.ok(odds.length > 0);
    });
  }));

test("any two runs or calibrations can be compared on the page", () =>
  inRelease(async (cwd) => {
    const another = ["--target", "0.7", "--only-target", "--delta", "0.6", "--name", "another"];
    await succeed(cwd, "calibrate", "fit", ...another);
    const place = ["--workspace", join(cwd, "sluice-workspace"), "--file", join(cwd, "sluice.yaml")];
    await withUi(place, async (address) => {
      const page = await (await fetch(`${address}/`)).text();
      const [, token = ""] = /name="token" value="([^"]+)"/u.exec(page) ?? [];
      const form = page.slice(page.indexOf('id="compare"'));
      const [first = "", second = ""] = new Set([...form.matchAll(/<option value="([^"]+)"/gu)].map(([, id]) => id));
      const sent = { method: "POST", body: new URLSearchParams({ token, a: second, b: first }) };
      const answer = await (await fetch(`${address}/`, sent)).text();
      assert.match(answer, "Comparison of A and B");
      assert.match(answer, "Decided differently");
      const unknown = { method: "POST", body: new URLSearchParams({ token, a: "0123abcd", b: first }) };
      assert.is((await fetch(`${address}/`, unknown)).status, 404);
    });
  }));

test("an address that other machines can reach is refused", async () => {
  const { code, said } = await withUi(["--host", "0.0.0.0"], async () => assert.unreachable());
  assert.is(code, 2);
  assert.match(said, "USAGE: other machines can reach 0.0.0.0");
});

test("a bundle is judged for the environment that it was approved for", () =>
  inRelease(async (cwd, release) => {
    await rm(join(cwd, "sluice-workspace", "trust.json"));
    const people = ["ann", "bo", "cy"] as const;
    const keys = people.flatMap((name) => ["--principal", `${name}=sluice-workspace/keys/${name}.pub.pem`]);
    const roles = ["--producer", "ann", "--approver", "bo", "--approver", "cy", "--environment", "staging"];
    await succeed(cwd, "trust", "create", ...keys, ...roles, "--expires", "365d");
    for (const person of ["bo", "cy"] as const) {
      assert.is((await approveAs(cwd, person, "--environment", "staging")).code, 0);
    }
    const place = ["--workspace", join(cwd, "sluice-workspace"), "--file", join(cwd, "sluice.yaml")];
    await withUi(place, async (address) => {
      const page = await (await fetch(`${address}/`)).text();
      const rows = page.split("<tr").filter((row) => row.includes(`/reports/release/${release.bundle}`));
      assert.is(rows.length, 1);
      assert.match(rows[0] ?? "", />staging</u);
      assert.match(rows[0] ?? "", /bo approved until [^;]+; cy approved until/u);
      assert.match(rows[0] ?? "", "</span>approved</span>");
      const report = await (await fetch(`${address}/reports/release/${release.bundle}`)).text();
      assert.match(report, "staging");
    });
  }));

test("a workspace lists runs, calibrations and releases with their signatures, each with its report", () =>
  inRelease(async (cwd, release) => {
    await approveAs(cwd, "bo");
    const workbench = await openWorkbench({
      folder: join(cwd, "sluice-workspace"),
      actor: "ann",
      clock: () => new Date().getTime(),
    });
    const project = async () => ({ part: null, next: [], people: null });
    const pages = workspacePages(workbench, { project });
    const server = await startPageServer({ host: "127.0.0.1", port: 0 }, pages);
    try {
      const page = await (await fetch(`${server.address}/`)).text();
      const short = release.bundle.slice(0, 12);
      const row = page.split("<tr").find((each) => each.includes(`/reports/release/${release.bundle}`)) ?? "";
      assert.match(row, short);
      assert.match(row, /<td[^>]*>ann<\/td>/u);
      assert.match(row, /bo approved until \d{4}-\d\d-\d\d</u);
      assert.match(row, "1 missing");
      assert.match(page, new RegExp(`/reports/run/[0-9a-f]{64}`, "u"));
      const titles = { calibration: "Calibration", thresholds: "Evaluation report", release: "Release 1" };
      for (const [kind, title] of Object.entries(titles)) {
        const [path = ""] = new RegExp(`/reports/${kind}/[0-9a-f]{64}`, "u").exec(page) ?? [];
        const report = await fetch(`${server.address}${path}`);
        assert.equal([report.status, report.headers.get("content-type")], [200, "text/html; charset=utf-8"], kind);
        const policy = report.headers.get("content-security-policy") ?? "";
        assert.match(policy, /^default-src 'none'; script-src '(none|sha256-)/u);
        assert.not.match(policy, /script-src[^;]*unsafe/u);
        assert.match(await report.text(), title, kind);
      }
      const unknown = await fetch(`${server.address}/reports/run/0123456789`);
      assert.is(unknown.status, 404);
      assert.match(await unknown.text(), "RECORD_NOT_FOUND");
      assert.is((await fetch(`${server.address}/reports/nothing/0123456789`)).status, 404);
    } finally {
      await server.close();
    }
  }));
