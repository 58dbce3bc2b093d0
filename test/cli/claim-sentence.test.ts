import { type Calibration, statementOf } from "../../src/documents/calibration.js";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, test } from "../support/test.js";
import { inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

interface Shown {
  readonly document: { readonly claims: Calibration["claims"] };
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("'", "&#39;");
const times = (text: string, part: string): number => text.replaceAll(/\s+/g, " ").split(part).length - 1;

for (const [name, target] of [
  ["certified", "0.7"],
  ["not certified", "0.001"],
] as const) {
  test(`the sentence of a claim that is ${name} stands once in the terminal, the HTML page and the Markdown`, () =>
    inRelease(async (cwd) => {
      await succeed(
        cwd,
        "calibrate",
        "fit",
        "--target",
        target,
        "--only-target",
        "--delta",
        "0.6",
        "--name",
        name.replace(" ", "-"),
      );
      const { document } = await succeed<Shown>(cwd, "calibrate", "show");
      const [claim] = document.claims;
      assert.is(claim?.certified, name === "certified");
      const sentence = claim === undefined ? "" : statementOf(claim);
      for (const file of ["page.html", "page.md"]) await succeed(cwd, "report", "eval", "--out", file);
      const shown = await sluice(["calibrate", "show"], { cwd });
      const texts = {
        terminal: shown.stdout,
        html: await readFile(join(cwd, "page.html"), "utf8"),
        markdown: await readFile(join(cwd, "page.md"), "utf8"),
      };
      for (const [place, text] of Object.entries(texts)) {
        assert.is(Math.max(times(text, sentence), times(text, escaped(sentence))), 1, `${place}: ${sentence}`);
      }
      for (const text of [texts.terminal, texts.html, texts.markdown]) {
        assert.is(text.includes("not covered"), claim?.certified, "conditions stand in a table where there is a claim");
      }
    }));
}
