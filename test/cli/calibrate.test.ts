import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { calibrateRun, openWorkbench, readStored } from "../../stages/index.js";
import { measuredProject, scoreSmallWorkspace, succeed } from "./support/small-workspace.js";

test("a project, the command and the library give the same calibration of the same run", () =>
  inTemporaryFolder(async (folder) => {
    await measuredProject(folder);
    const cwd = join(folder, "shop");
    const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace") });
    const ofProject = await readStored(workbench, { kind: "calibration" });
    const { calibration_version: version, fit, calibrator } = ofProject.document;
    assert.equal([fit.calibrator, calibrator.family], [null, "catalog-features"]);
    const fitted = await succeed<{ readonly calibration: string }>(
      cwd,
      "calibrate",
      "fit",
      "--claim",
      "fixed-catalog",
      "--name",
      version,
    );
    assert.is(fitted.calibration, ofProject.sha256);
    const fromLibrary = await calibrateRun(workbench, { claim: "fixed-catalog", name: version });
    assert.is(fromLibrary.calibration, ofProject.sha256);
  }));

test("a fit names the other claim and what is declined, and refuses options that cannot be", () =>
  inTemporaryFolder(async (whole) => {
    await scoreSmallWorkspace(whole);
    const fit = ["calibrate", "fit", "--target", "0.6", "--cross-fit", "5"] as const;
    interface Fitted {
      readonly document: { readonly method: string; readonly cross_fit: unknown; readonly claims: readonly object[] };
      readonly other_claim: { readonly claim: string; readonly sentences: readonly string[] };
      readonly declined_workflows: readonly string[];
    }
    const crossed = await succeed<Fitted>(whole, ...fit, "--claim", "fixed-catalog", "--out-of-scope-share", "0.2");
    assert.is(crossed.document.method, "fixed-sequence-weighted-families");
    assert.equal(crossed.document.cross_fit, { parts: 5, by: "request" });
    assert.is(crossed.other_claim.claim, "new-workflows");
    const declined = crossed.declined_workflows;
    assert.ok(declined.length > 0, "the workflows of FIT and EVAL have no tested request");
    const catalogFit = await sluice([...fit, "--claim", "fixed-catalog"], { cwd: whole });
    assert.match(
      catalogFit.stderr,
      `${declined.length} workflows of the catalog had no tested request and will be declined: `,
    );
    assert.match(catalogFit.stderr, declined[0] ?? "none");
    const plain = await succeed<Fitted>(whole, ...fit, "--require-tier", "critical=0.5");
    assert.is(plain.document.claims.length, 2);
    assert.equal(plain.declined_workflows, []);
    assert.is(plain.other_claim.claim, "fixed-catalog");
    assert.match((await sluice([...fit], { cwd: whole })).stdout, "Under --claim fixed-catalog: ");

    for (const wrong of [
      ["--target", "low=0.2,medium=0.2,high=0.2,critical=0.2"],
      ["--require-tier", "urgent=0.1"],
      ["--require-tier", "critical=2"],
      ["--start-errors", "many"],
    ]) {
      const refused = await sluice(["calibrate", "fit", ...wrong], { cwd: whole });
      assert.is(refused.code, 2, refused.stderr);
    }
  }));

test("labelled follow-ups are listed apart, and refused where they are an example or for no workflow of the catalog", () =>
  inTemporaryFolder(async (folder) => {
    await measuredProject(folder);
    const cwd = join(folder, "shop");
    const lines = (await readFile(join(cwd, "requests.jsonl"), "utf8")).split("\n").slice(0, 120);
    const requests = lines.map((line) => JSON.parse(line) as LabelledRequest);
    const rows = requests.map(({ text, workflow_id }, at) => {
      const before = at % 6 === 0 ? requests[(at + 40) % requests.length]?.workflow_id : workflow_id;
      const previous = { workflow_id: before ?? null };
      return { id: `f${at}`, text: `${text}, as I said`, workflow_id, group_id: `c${at}`, previous };
    });
    const save = (saved: readonly object[]) =>
      writeFile(join(cwd, "follow-ups.jsonl"), saved.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const project = await readFile(join(cwd, "sluice.yaml"), "utf8");
    await writeFile(join(cwd, "sluice.yaml"), `${project}\nfollow_ups: follow-ups.jsonl\n`);

    await save([...rows, { ...rows[0], id: "taught", text: requests[0]?.text.toUpperCase() }]);
    const taught = await sluice(["run"], { cwd });
    assert.match(taught.stderr, /DOCUMENT_INVALID: .*the text of request taught is an example of the catalog/);
    await save([...rows, { ...rows[0], id: "strange", workflow_id: "sing_a_song" }]);
    assert.match(
      (await sluice(["run"], { cwd })).stderr,
      /request strange has the workflow sing_a_song, which is missing/,
    );

    await save(rows);
    const ran = await sluice(["run"], { cwd });
    assert.is(ran.code, 0, ran.stderr);
    const found = [
      /requests +tested +routed +wrong +promised$/m,
      /stand alone +\d+ +128 +7 +at most 15% wrong$/m,
      /repeat the workflow +\d{2,} +\d{2,} +\d+ +at most \d+% wrong$/m,
      /change the workflow +\d+ +0 +nothing$/m,
      /two wishes, joined +192 +154 recognised and declined$/m,
    ];
    const shown = await sluice(["eval", "show", "--fold", "certify"], { cwd });
    for (const line of found) {
      assert.match(ran.stdout, line);
      assert.match(shown.stdout, line);
    }
    const plain = await succeed<{ readonly calibration: string }>(cwd, "calibrate", "fit", "--claim", "fixed-catalog");
    const { stdout } = await sluice(["eval", "show", "--calibration", plain.calibration], { cwd });
    assert.ok(!stdout.includes("stand alone"));
  }));

test("a withdrawn label counts as a further calibration of the same labels only if it was tested", () =>
  inTemporaryFolder(async (cwd) => {
    await scoreSmallWorkspace(cwd);
    interface Attempt {
      readonly document: { readonly fit: { readonly attempt: number } };
    }
    const fit = async (): Promise<number> =>
      (await succeed<Attempt>(cwd, "calibrate", "fit", "--target", "0.6")).document.fit.attempt;
    assert.is(await fit(), 1);
    const errors = async (fold: string): Promise<string> => {
      const found = await succeed<{ readonly errors: readonly { readonly id: string }[] }>(
        cwd,
        "eval",
        "errors",
        "--fold",
        fold,
        "--min-confidence",
        "0.99",
      );
      return found.errors[0]?.id ?? "none";
    };
    const [heldOut, tested] = [await errors("eval"), await errors("certify")];
    const withdraw = async (id: string): Promise<number> => {
      const file = join(cwd, "requests.jsonl");
      const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
      const edited = lines.map((line) => {
        const row = JSON.parse(line) as { readonly id: string };
        return row.id === id ? JSON.stringify({ ...row, withdrawn: "wrong label" }) : line;
      });
      assert.not.equal(edited, lines);
      await writeFile(file, `${edited.join("\n")}\n`);
      await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
      await succeed(cwd, "dataset", "split");
      await succeed(cwd, "eval", "run");
      return fit();
    };
    assert.is(await withdraw(heldOut), 1);
    assert.is(await withdraw(tested), 2);
  }));
