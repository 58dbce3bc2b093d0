import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, pluck, test } from "../support/test.js";
import { wordsOf } from "../support/doc-page.js";
import { sluice } from "./support/sluice.js";
import { openWorkbench, readStored } from "../../stages/index.js";
import { measuredProject, scoreSmallWorkspace, succeed } from "./support/small-workspace.js";
import { adviceOf } from "../../reports/text/plan-text.js";
import type { NextStep } from "../../src/documents/calibration.js";

interface Planned {
  readonly run: string;
  readonly plan_id: string;
  readonly plan: {
    readonly samples: number;
    readonly claims: readonly {
      readonly claim: string;
      readonly unknown: string | null;
      readonly needs_split: string | null;
      readonly advised: number | null;
      readonly targets: readonly { readonly target: number; readonly probability: number }[];
    }[];
  };
}

test("a project that certifies whole has no plan before its calibration, and then one for the next target", () =>
  inTemporaryFolder(async (folder) => {
    await measuredProject(folder);
    const cwd = join(folder, "shop");
    const ask = ["calibrate", "plan", "--samples", "20", "--targets", "0.2,0.3"] as const;
    const { plan } = await succeed<Planned>(cwd, ...ask);
    assert.is(plan.samples, 20);
    assert.equal(
      plan.claims.map(({ claim, needs_split }) => [claim, needs_split]),
      [
        ["new-workflows", "workflow"],
        ["fixed-catalog", null],
      ],
    );
    assert.equal(await succeed<Planned>(cwd, ...ask), await succeed<Planned>(cwd, ...ask));

    const words = await sluice([...ask], { cwd });
    assert.is(words.code, 0, words.stderr);
    assert.match(words.stdout, /(?:^|In simulations, )[aA] target of \d+% .*labelled requests/m);
    assert.not.match(words.stdout, "Simulated");
    assert.equal(words.stderr.match(/^planning: .*$/gm)?.length, 1, words.stderr);
    assert.match(words.stderr, "sluice run");
    const refused = await sluice(["calibrate", "plan", "--targets", "5"], { cwd });
    assert.is(refused.code, 2, refused.stderr);
  }));

test("a plan is stored once in the history, and read back by its id", () =>
  inTemporaryFolder(async (cwd) => {
    await scoreSmallWorkspace(cwd);
    const ask = ["calibrate", "plan", "--samples", "5", "--targets", "0.3"] as const;
    const planned = await succeed<Planned>(cwd, ...ask);
    assert.is((await succeed<Planned>(cwd, ...ask)).plan_id, planned.plan_id);
    const log = await succeed<{ readonly entries: readonly { readonly sha256: string }[] }>(
      cwd,
      ...wordsOf("history log --kind plan"),
    );
    assert.equal(pluck(log.entries, "sha256"), [planned.plan_id]);
    const workbench = await openWorkbench({ folder: join(cwd, "sluice-workspace"), actor: "ann", clock: () => 0 });
    const { document } = await readStored(workbench, { kind: "plan" });
    assert.equal([document.run_sha256, document.samples], [planned.run, 5]);
    assert.equal(
      document.claims.map(({ claim, advised }) => [claim, advised]),
      planned.plan.claims.map(({ claim, advised }) => [claim, advised]),
    );
  }));

test("a claim that is looser than planned says what the next one lacks, in the calibration and in the report", () =>
  inTemporaryFolder(async (folder) => {
    await measuredProject(folder);
    const cwd = join(folder, "shop");
    interface Fitted {
      readonly document: {
        readonly claims: readonly { readonly certified: boolean; readonly target_risk: number }[];
        readonly next_step?: NextStep;
      };
    }
    const fit = ["calibrate", "fit", "--claim", "fixed-catalog", "--target", "0.02"] as const;
    const { document } = await succeed<Fitted>(cwd, ...fit);
    assert.is(document.claims[0]?.certified, true);
    assert.ok((document.claims[0]?.target_risk ?? 0) > 0.02);
    const [advice = ""] = adviceOf(document);
    assert.match(advice, "target of ");
    assert.not.match(advice, /more workflows/);
    const words = await sluice([...fit], { cwd });
    assert.match(words.stdout, "claim        fixed-catalog (new requests for the tested workflows");
    assert.match(words.stdout, advice);
    await succeed(cwd, "report", "eval", "--out", "report.md");
    const page = await readFile(join(cwd, "report.md"), "utf8");
    assert.match(page.replaceAll("\\", ""), advice);
  }));
