import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { calibrationBlocks } from "../../../reports/calibration/calibration-blocks.js";
import { comparisonBlocks } from "../../../reports/comparison/comparison-blocks.js";
import { evaluationBlocks } from "../../../reports/evaluation-blocks.js";
import { releaseBlocks } from "../../../reports/release/release-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { buildReportModel } from "../../../reports/view-model.js";
import { renderWorkspacePage } from "../../../reports/workspace/workspace-page.js";
import { assert, test } from "../../support/test.js";
import { testWithBrowser } from "../../support/browser.js";
import { comparedWithGolden, pictureOf } from "../../support/golden-picture.js";
import { cutTables, seriousFindings, smallestChartText } from "../../support/page-checks.js";
import { watchedPage } from "../../support/watched-page.js";
import { aReportInput } from "../an-evaluation.js";
import { aReleasePage, aPageStatus } from "../release/a-release-page.js";
import { reportedRequestsOf } from "../reported-requests.js";
import { aWorkspaceView } from "../workspace/a-workspace-view.js";
import { aCalibrationPage, aComparisonPage } from "./page-fixtures.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-pages-"));

test.after(() => rmSync(folder, { recursive: true, force: true }));

const links = [{ label: "Evaluation", file: "report.html" }];
const pages = {
  calibration: () => renderHtml(calibrationBlocks(aCalibrationPage({ links }))),
  comparison: () => renderHtml(comparisonBlocks(aComparisonPage({ links }))),
};
/** Pages that are compared with pictures. */
const pictured = {
  ...pages,
  evaluation: () => renderHtml(evaluationBlocks(buildReportModel(aReportInput({ requests: reportedRequestsOf(240) })))),
  release: () => Promise.resolve(renderHtml(releaseBlocks(aReleasePage(), aPageStatus(aReleasePage())))),
  workspace: () => Promise.resolve(renderWorkspacePage(aWorkspaceView())),
};
/** The layout depends on the width and the colours on the scheme, so two combinations show both. */
const views = [
  { width: 1400, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;
const scrollWidth = "document.documentElement.scrollWidth";
const openAll = "document.querySelectorAll('details').forEach((each) => { each.open = true; })";

async function checkOnScreen(browser: Browser, url: string, width: number, colorScheme: "light" | "dark") {
  const { page, complaints, requests } = await watchedPage(browser, url, { width, colorScheme });
  assert.is(await page.evaluate<number>(scrollWidth), width);
  for (const summary of await page.locator("summary").all()) await summary.press("Enter");
  assert.is(await page.locator("details:not([open])").count(), 0);
  assert.is(await page.evaluate<number>(scrollWidth), width);
  const smallest = await page.evaluate<number>(smallestChartText);
  assert.ok(smallest >= 11, `chart text of ${smallest} pixels`);
  await page.evaluate(axe.source);
  assert.equal(await page.evaluate<readonly string[]>(seriousFindings), []);
  assert.equal(complaints, []);
  assert.equal(requests, [url]);
  await page.close();
}

async function checkOnPaper(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: { width: 680, height: 1000 } });
  await page.goto(url);
  await page.evaluate(openAll);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate<readonly string[]>(cutTables), []);
  assert.ok((await page.evaluate<number>(scrollWidth)) <= 680);
  await page.close();
}

/** The security policy of a page blocks fonts, and a picture needs one. */
async function openForPicture(browser: Browser, url: string, { width, colorScheme }: (typeof views)[number]) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  await page.goto(url);
  return page;
}

/** Compares every page with its picture; then one page with a layout change, which must be found. */
async function checkPictures(browser: Browser): Promise<void> {
  for (const [name, render] of Object.entries(pictured)) {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, await render());
    for (const view of views) {
      const page = await openForPicture(browser, pathToFileURL(file).href, view);
      const picture = `${name}-${view.width}-${view.colorScheme}`;
      const { share, differs } = comparedWithGolden(picture, await pictureOf(page));
      assert.not.ok(differs, `${picture}: ${(100 * share).toFixed(2)}% of the pixels differ`);
      await page.close();
    }
  }
  const [view] = views;
  const page = await openForPicture(browser, pathToFileURL(join(folder, "calibration.html")).href, view);
  await page.addStyleTag({ content: "h1 { margin-top: 40px !important; }" });
  if (process.env["UPDATE_GOLDEN"] !== "1") {
    const { differs } = comparedWithGolden("calibration-1400-light", await pictureOf(page));
    assert.ok(differs, "a heading that moved by two lines is not seen");
  }
  await page.close();
}

testWithBrowser(
  test,
  "the pages fit the screen and the paper, by keyboard alone, in light and dark, and look like their pictures",
  async (browser) => {
    for (const [name, render] of Object.entries(pages)) {
      const file = join(folder, `${name}.html`);
      writeFileSync(file, await render());
      const url = pathToFileURL(file).href;
      for (const { width, colorScheme } of views) await checkOnScreen(browser, url, width, colorScheme);
      await checkOnPaper(browser, url);
    }
    await checkPictures(browser);
  },
);
