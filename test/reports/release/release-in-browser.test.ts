import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { releaseBlocks } from "../../../reports/release/release-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { assert, test } from "../../support/test.js";
import { testWithBrowser } from "../../support/browser.js";
import { seriousFindings } from "../../support/page-checks.js";
import { watchedPage } from "../../support/watched-page.js";
import { aReleasePage, aPageStatus } from "./a-release-page.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-release-page-"));
const file = join(folder, "release.html");
const url = pathToFileURL(file).href;

test.before(async () => {
  // A pass with a reservation is the longest badge.
  const page = aReleasePage({ verdict: "pass" });
  writeFileSync(file, await renderHtml(releaseBlocks(page, aPageStatus(page))));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1400]) {
    testWithBrowser(
      test,
      `the page fits and has no serious finding, ${colorScheme}, ${width} pixels`,
      async (browser) => {
        const { page, complaints, requests } = await watchedPage(browser, url, { width, colorScheme });
        assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width);
        await page.evaluate(axe.source);
        assert.equal(await page.evaluate<readonly string[]>(seriousFindings), []);
        assert.equal(complaints, []);
        assert.equal(requests, [url]);
      },
    );
  }
}

/** A4 without the margins of the page, at 96 pixels an inch. */
const paper = { width: Math.floor((186 / 25.4) * 96), height: Math.floor((279 / 25.4) * 96) };

testWithBrowser(test, "on paper one page holds everything but the annex, and nothing is cut", async (browser) => {
  const page = await browser.newPage({ viewport: paper });
  await page.emulateMedia({ media: "print" });
  await page.goto(url);
  const annexAt = await page.evaluate<number>('document.querySelector("#annex").getBoundingClientRect().top');
  assert.ok(annexAt <= paper.height, `the annex begins at ${annexAt} of ${paper.height} pixels`);
  const cut = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > ${paper.width})` +
      ".map((each) => each.outerHTML.slice(0, 80))",
  );
  assert.equal(cut, []);
});

testWithBrowser(test, "the keyboard reaches every table that scrolls", async (browser) => {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
  await page.goto(url);
  const unreachable = await page.evaluate<number>(
    '[...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth && box.tabIndex < 0).length',
  );
  assert.is(unreachable, 0);
});
