import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { renderHtml } from "../../reports/render-html.js";
import { buildReportModel } from "../../reports/view-model.js";
import { assert, test } from "../support/test.js";
import { testWithBrowser } from "../support/browser.js";
import { cutTables, seriousFindings, smallestChartText } from "../support/page-checks.js";
import { watchedPage } from "../support/watched-page.js";
import { aReportInput } from "./an-evaluation.js";
import { reportedRequestsOf } from "./reported-requests.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-report-"));
const file = join(folder, "report.html");

test.after(() => rmSync(folder, { recursive: true, force: true }));

const charts = ["#tier-curve-1 svg", "#tier-curve-4 svg", "#reliability svg", "#scores svg", "#risk-coverage svg"];
const confusions = [
  {
    right_workflow_id: "customer_accounts.customer_access",
    first_workflow_id: "customer_accounts.customer_accounts_export",
    requests: 4,
    routed: 1,
    of: 20,
  },
];
const render = () =>
  renderHtml(evaluationBlocks(buildReportModel(aReportInput({ requests: reportedRequestsOf(400), confusions }))));

// The layout is that of the width, the colours are those of the scheme: two combinations show both.
for (const [colorScheme, width] of [
  ["light", 1400],
  ["dark", 390],
] as const) {
  testWithBrowser(
    test,
    `the report opens offline by keyboard alone, ${colorScheme}, ${width} pixels`,
    async (browser) => {
      writeFileSync(file, await render());
      const url = pathToFileURL(file).href;
      const { page, complaints, requests } = await watchedPage(browser, url, { width, colorScheme });
      assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width);

      for (const summary of await page.locator("summary").all()) await summary.press("Enter");
      assert.is(await page.locator("details:not([open])").count(), 0);
      for (const selector of charts) {
        const box = await page.locator(selector).boundingBox();
        assert.ok(box !== null && box.width > 250 && box.height > 40, `${selector} is ${JSON.stringify(box)}`);
      }
      const smallest = await page.evaluate<number>(smallestChartText);
      assert.ok(smallest >= 11, `chart text of ${smallest} pixels`);
      assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width);
      await page.evaluate(axe.source);
      assert.equal(await page.evaluate<readonly string[]>(seriousFindings), []);
      assert.equal(complaints, []);
      assert.equal(requests, [url]);
    },
  );
}

testWithBrowser(test, "every section stands on paper, also those that are closed on the screen", async (browser) => {
  writeFileSync(file, await render());
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  const heights = () =>
    page.evaluate<readonly number[]>(
      `[...document.querySelectorAll("details.part:not([open]) > section")].map((one) => (one.checkVisibility({ contentVisibilityProperty: true }) ? one.offsetHeight : 0))`,
    );
  const onScreen = await heights();
  assert.ok(onScreen.length > 0 && onScreen.every((height) => height === 0), onScreen.join());
  await page.emulateMedia({ media: "print" });
  const onPaper = await heights();
  assert.ok(
    onPaper.every((height) => height > 20),
    onPaper.join(),
  );
});

testWithBrowser(test, "no table is wider than the paper", async (browser) => {
  writeFileSync(file, await render());
  const page = await browser.newPage({ viewport: { width: 680, height: 1000 } });
  await page.goto(pathToFileURL(file).href);
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  await page.emulateMedia({ media: "print" });
  const cut = await page.evaluate<readonly string[]>(cutTables);
  assert.equal(cut, []);
});

testWithBrowser(test, "text keeps a contrast of 4.5 in light, dark and print", async (browser) => {
  writeFileSync(file, await render());
  for (const media of ["screen", "print"] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ colorScheme });
      await page.emulateMedia({ media, colorScheme });
      await page.goto(pathToFileURL(file).href);
      const lowest = await page.evaluate<number>(lowestContrast);
      assert.ok(lowest >= 4.5, `${media}, ${colorScheme}: ${lowest}`);
    }
  }
});

/** Runs in the page: lowest WCAG contrast of the text colours used against the page and the raised background. */
const lowestContrast = `(() => {
  const style = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement("i"));
  const luminance = (name) => {
    probe.style.color = style.getPropertyValue(name);
    const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const inks = ["--ink", "--muted", "--data", "--target", "--pass", "--fail", "--unsure", "--abstain"].map(luminance);
  const papers = ["--paper", "--raised"].map(luminance);
  return Math.min(...inks.flatMap((ink) => papers.map((paper) => ratio(ink, paper))));
})()`;
