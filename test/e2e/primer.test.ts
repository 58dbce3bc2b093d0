/** docs/concepts/primer.md: its figures and its text have the numbers of docs/figures/primer.json. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";
import { docPage } from "../support/doc-page.js";

interface Numbers {
  readonly flow: {
    readonly requests: number;
    readonly workflows: number;
    readonly decisions: { readonly ROUTE: number };
    readonly wrong: number;
  };
  readonly certification: {
    readonly requests: number;
    readonly steps: readonly {
      readonly confidence: number;
      readonly routed: number;
      readonly errors: number;
      readonly passed: boolean;
    }[];
  };
  readonly shortlist: { readonly in_scope: number; readonly routed_right: number; readonly listed_right: number };
}

const numbers = JSON.parse(readFileSync(join(packageRoot, "docs/figures/primer.json"), "utf8")) as Numbers;
const grouped = (value: number): string => value.toLocaleString("en-US");

test("the figures are drawn from the numbers that were measured", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/primer-figures.mjs", "--check"], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  assert.equal([status, stdout], [0, ""]);
});

test("the text says what the figures show", () => {
  const page = docPage("concepts/primer.md").replaceAll(/\s+(?:> )?/g, " ");
  const { flow, certification, shortlist } = numbers;
  const last = certification.steps.findLast(({ passed }) => passed);
  assert.ok(last !== undefined);
  for (const sentence of [
    `with ${flow.workflows} workflows`,
    `${flow.decisions.ROUTE} of ${flow.requests} requests are routed`,
    `${flow.wrong} of ${flow.decisions.ROUTE} (${((100 * flow.wrong) / flow.decisions.ROUTE).toFixed(1)}%)`,
    `(threshold ${last.confidence}), ${grouped(last.routed)} of ${grouped(certification.requests)} requests`,
    `${last.errors} wrong of ${grouped(last.routed)} routed`,
    `${shortlist.routed_right} of ${grouped(shortlist.in_scope)} requests in scope`,
    `contains it for ${grouped(shortlist.listed_right)} of them`,
  ]) {
    assert.ok(page.includes(sentence), sentence);
  }
});
