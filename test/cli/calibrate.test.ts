import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";
import { scoreSmallWorkspace, succeed } from "./support/small-workspace.js";

const test = suite("cli/calibrate");

interface Simulated {
  readonly first_seed: number;
  readonly delta: number;
  readonly repetitions: readonly { readonly seed: number; readonly factor: number }[];
  readonly summaries: readonly { readonly factor: number }[];
}

const simulate = ["calibrate", "simulate", "--target", "0.7", "--delta", "0.6"] as const;
const small = [...simulate, "--repetitions", "4", "--data-factors", "1,2"] as const;

test("an interrupted simulation resumes and ends like an uninterrupted one", () =>
  inTemporaryFolder(async (folder) => {
    const [whole, cut] = [join(folder, "whole"), join(folder, "cut")];
    await mkdir(whole);
    await scoreSmallWorkspace(whole);
    await cp(whole, cut, { recursive: true });

    const stopped = await sluice([...small], { cwd: cut, interruptAfter: "simulating: 25 %" });
    assert.is(stopped.code, 130, stopped.stderr);
    assert.match(stopped.stderr, "Resume with: sluice calibrate simulate");

    const resumed = await succeed<Simulated>(cut, ...small);
    assert.equal(resumed, await succeed<Simulated>(whole, ...small));
    assert.equal(
      resumed.repetitions.map(({ seed, factor }) => [seed, factor]),
      [1, 2].flatMap((factor) => [1, 2, 3, 4].map((seed) => [seed, factor])),
    );
    assert.equal(
      resumed.summaries.map((summary) => Object.keys(summary).filter((key) => /[A-Z]/.test(key))),
      [[], []],
      "keys are snake_case",
    );

    const words = await sluice([...small], { cwd: whole });
    assert.is(words.code, 0, words.stderr);
    assert.match(words.stdout, "With as much data as now, 4 repetitions:");
    assert.match(words.stdout, "With 2 times the data");
    const later = await succeed<Simulated>(whole, ...small, "--first-seed", "5");
    assert.equal(
      later.repetitions.filter(({ factor }) => factor === 1).map(({ seed }) => seed),
      [5, 6, 7, 8],
    );

    const fit = ["calibrate", "fit", "--target", "0.6", "--cross-fit", "5"] as const;
    interface Fitted {
      readonly document: { readonly method: string; readonly cross_fit: unknown; readonly claims: readonly object[] };
      readonly other_claim: { readonly claim: string; readonly sentences: readonly string[] };
      readonly declined_workflows: readonly string[];
    }
    const crossed = await succeed<Fitted>(whole, ...fit, "--claim", "fixed-catalog", "--out-of-scope-share", "0.2");
    assert.is(crossed.document.method, "fixed-sequence-exact-mix");
    assert.equal(crossed.document.cross_fit, { parts: 5, by: "workflow" });
    assert.is(crossed.other_claim.claim, "new-workflows");
    const declined = crossed.declined_workflows;
    assert.ok(declined.length > 0, "the workflows of FIT and EVAL have no tested request");
    const catalogFit = await sluice([...fit, "--claim", "fixed-catalog"], { cwd: whole });
    assert.match(
      catalogFit.stderr,
      `${declined.length} workflows of the catalog without a tested request, so declined: `,
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
    for (const wrong of [
      ["--data-factors", "0"],
      ["--repetitions", "0"],
    ]) {
      const refused = await sluice([...simulate, ...wrong], { cwd: whole });
      assert.is(refused.code, 2, refused.stderr);
    }
  }));

test.run();
