import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { wordsOf } from "../support/doc-page.js";
import { sluice } from "./support/sluice.js";
import { measuredExample, succeed } from "./support/small-workspace.js";

interface Steps {
  readonly steps: readonly { readonly name: string; readonly state: string }[];
}

const states = ({ steps }: Steps): readonly string[] => steps.map(({ state }) => state);

test("status and a dry run say what is missing and create nothing; run does it once, and names files from where the caller stands", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", "--owner", "support", "--yes");
    const planned = Array.from({ length: 7 }, () => "planned");
    assert.equal(states(await succeed<Steps>(cwd, "status", "-C", "shop")), planned);
    assert.equal(states(await succeed<Steps>(cwd, "run", "-C", "shop", "--dry-run")), planned);
    assert.not.ok(existsSync(join(cwd, "shop", "sluice-workspace")));
    const { folder, printed } = await measuredExample();
    const [, , { stdout, stderr }] = printed;
    await cp(join(folder, "shop"), join(cwd, "shop"), { recursive: true });
    assert.ok(
      stdout.replaceAll(/ +/g, " ").includes(`report ${join("shop", "sluice-workspace", "report.html")}`),
      stdout,
    );
    assert.match(stdout, /^claim +When Sluice routes/m);
    assert.match(stdout, /^Certified on the test requests; there is no separate held-out set\.$/m);
    assert.match(stdout, /^tested +24 tested requests are out of scope \(\d+\.\d%\)\.$/m);
    assert.match(stdout, /^ {2}pass {2}claim/m);
    assert.is(stdout.split("When Sluice routes").length, 2);
    assert.match(
      stderr,
      /^plan +done .* planned: at most 5% wrong; targets from 50% down are tested in turn, and the strictest that passes is certified$/m,
    );
    assert.match(stderr, "sluice run --release --producer NAME --approver NAME --approver NAME -C shop");
    const upToDate = planned.map(() => "up_to_date");
    assert.equal(states(await succeed<Steps>(cwd, "run", "-C", "shop", "--note", "the example")), upToDate);
    assert.match((await sluice(["eval", "list", "-C", "shop"], { cwd })).stdout, "the example");
    const early = await sluice(["run", "-C", "shop", "--note", "x", "--until", "split"], { cwd });
    assert.is(early.code, 2, early.stderr);
    assert.equal(states(await succeed<Steps>(cwd, "status", "-C", "shop")), upToDate);
    // The baseline too ranks each text without its own example, which would be an exact match.
    await succeed(cwd, "report", "eval", "-C", "shop", "--out", "report.md");
    const report = await readFile(join(cwd, "shop", "report.md"), "utf8");
    assert.is(report.match(/^\| First candidate right \|.*\| better \|$/gm)?.length, 1);
  }));

test("a run that is stopped in the middle resumes behind its last finished step, and an edit repeats what depends on it", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", "--yes");
    const stopped = await sluice(["run", "-C", "shop"], { cwd, interruptAfter: "scoring: 25%" });
    assert.is(stopped.code, 130, stopped.stderr);
    assert.match(stopped.stderr, "Resume with: sluice run -C shop");
    const resumed = await succeed<Steps>(cwd, "run", "-C", "shop");
    assert.equal(states(resumed), ["up_to_date", "up_to_date", "up_to_date", "done", "done", "done", "done"]);
    const file = join(cwd, "shop", "sluice.yaml");
    await writeFile(
      file,
      (await readFile(file, "utf8")).replace("target: auto", "target: 0.25\n  require_tiers: { high: 0.1 }"),
    );
    const { stdout: before } = await sluice(["status", "-C", "shop"], { cwd });
    assert.equal(before.match(/outdated|up to date|missing/g), [
      ...Array.from({ length: 4 }, () => "up to date"),
      ...Array.from({ length: 3 }, () => "outdated"),
    ]);
    const edited = await succeed<Steps>(cwd, "run", "-C", "shop");
    assert.equal(states(edited), ["up_to_date", "up_to_date", "up_to_date", "up_to_date", "done", "done", "done"]);
    const audits = await succeed<{ readonly entries: readonly object[] }>(
      cwd,
      ...wordsOf("history log --kind audit -C shop"),
    );
    assert.is(audits.entries.length, 1);
    const catalog = join(cwd, "shop", "catalog.yaml");
    await writeFile(
      catalog,
      (await readFile(catalog, "utf8")).replace(/^catalog_version: .*$/m, "catalog_version: v2"),
    );
    await succeed<Steps>(cwd, "run", "-C", "shop", "--until", "calibrate");
    const log = await sluice(["calibrate", "show", "-C", "shop"], { cwd });
    assert.match(log.stdout, "this is the 2nd");
    assert.match(log.stdout, /^ {2}high .* at most 10%$/m, "the tier has a claim of its own");
    assert.not.match(log.stdout, "this is the 3rd", "another version of the same catalog is no further attempt");
  }));

const tools = join(packageRoot, "test", "fixtures", "office-tools.json");

test("tool definitions without a request run, say what cannot be promised, and are answered", () =>
  inTemporaryFolder(async (cwd) => {
    const made = await succeed<{ readonly can_promise: readonly string[] }>(cwd, "init", tools, "--into", "office");
    const promised = made.can_promise.join(" ");
    assert.match(promised, "None: no request is labelled");
    const table = await readFile(join(packageRoot, "docs/reference/catalog.md"), "utf8");
    const shares = promised.match(/[\d.]+%/g) ?? [];
    assert.is(shares.length, 3);
    for (const share of shares) assert.ok(table.includes(`| ${share} |`), share);
    const run = await succeed<Steps & { readonly stop: string | null }>(cwd, "run", "-C", "office");
    assert.equal(states(run), ["done", ...Array.from({ length: 6 }, () => "waiting")]);
    assert.match(run.stop ?? "", "nothing can be measured");
    const again = await succeed<Steps>(cwd, "status", "-C", "office");
    assert.equal(states(again), ["up_to_date", ...Array.from({ length: 6 }, () => "waiting")]);
    const { stderr: afterStatus } = await sluice(["status", "-C", "office"], { cwd });
    assert.match(afterStatus, "sluice serve -C office");
    const asked = async (text: string) => (await succeed<Asked>(cwd, "route", "-C", "office", "--text", text)).response;
    const sick = await asked("i am ill today");
    assert.equal([sick.decision, sick.workflow_id, sick.calibration_version], ["ROUTE", "report_sick", "not-measured"]);
    assert.is((await asked("what is the capital of peru")).decision, "LLM_REQUIRED");
    const missing = await asked("translate this mail to French");
    assert.equal([missing.decision, missing.workflow_id], ["CLARIFY", "translate_text"]);
    const { stderr } = await sluice(["route", "-C", "office", "--text", "i am ill today"], { cwd });
    assert.match(stderr, "warning  No claim");
    const nobody = await sluice(["route", "-C", "office", "--text", "hi", "--server", "http://127.0.0.1:1"], { cwd });
    assert.is(nobody.code, 1);
    assert.match(nobody.stderr, "SERVER_UNREACHABLE");
    const file = await sluice(["route", "-C", "office", "--text", "hi", "--server", "file:///etc"], { cwd });
    assert.is(file.code, 2);
    const manifest = await sluice(["manifest", "create", "-C", "office", "--producer", "ann", "--key", "ann"], { cwd });
    assert.is.not(manifest.code, 0);
  }));

interface Asked {
  readonly response: {
    readonly decision: string;
    readonly workflow_id: string | null;
    readonly calibration_version: string;
  };
}

test("a project is made from stdin, in any encoding", () =>
  inTemporaryFolder(async (cwd) => {
    const table = "text,intent\nwhere is my parcel,track\nparcel please,track\nmoney back,refund\nrefund me,refund\n";
    const made = await sluice(["init", "-", "--into", "p", "--json"], { cwd, input: table });
    assert.is(made.code, 0, made.stdout);
    assert.match(await readFile(join(cwd, "p", "catalog.yaml"), "utf8"), "workflow_id: refund");
  }));

test("so few requests that the settled calibrator cannot be fitted run to the end and promise nothing", () =>
  inTemporaryFolder(async (cwd) => {
    for (const [name, table] of [
      ["two", "text;label\nhello there;greet\nhi;greet\nbye;leave\nsee you;leave\n"],
      ["one", `text;label\n${["hi", "hello", "good day", "hey you", "morning"].join(";greet\n")};greet\n`],
    ] as const) {
      await sluice(["init", "-", "--into", name, "--json"], { cwd, input: table });
      const run = await succeed<Steps & { readonly claims: readonly string[] }>(cwd, "run", "-C", name);
      assert.ok(states(run).every((state) => state === "done"));
      assert.match(run.claims[0] ?? "", /No text is routed: .* needs/);
    }
  }));
