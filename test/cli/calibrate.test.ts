import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
    const fromLibrary = await calibrateRun(workbench, { claim: "fixed-catalog", version });
    assert.is(fromLibrary.calibrationId, ofProject.sha256);
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
