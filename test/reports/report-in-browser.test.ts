import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { renderEvaluationReport } from "../../reports/evaluation-report.js";
import { buildReportModel } from "../../reports/view-model.js";
import { testWithBrowser } from "../support/browser.js";
import { aReportInput } from "./an-evaluation.js";

const test = suite("reports/evaluation-report in a browser");
const folder = mkdtempSync(join(tmpdir(), "sluice-report-"));
const file = join(folder, "report.html");

test.after(() => rmSync(folder, { recursive: true, force: true }));

const charts = ["#risk-coverage svg", "#tier-bars svg", "#reliability svg"];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [400, 1280]) {
    testWithBrowser(test, `the report opens offline, ${colorScheme}, ${width} pixels wide`, async (browser) => {
      writeFileSync(file, await renderEvaluationReport(buildReportModel(aReportInput())));
      const url = pathToFileURL(file).href;
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(url);

      for (const selector of charts) {
        const box = await page.locator(selector).boundingBox();
        assert.ok(box !== null && box.width > 250 && box.height > 100, `${selector} is ${JSON.stringify(box)}`);
      }
      for (const summary of await page.locator("summary").all()) await summary.click();
      assert.is(await page.locator("details:not([open])").count(), 0);
      assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width);
      assert.equal(complaints, []);
      assert.equal(
        requests.filter((requested) => !requested.startsWith("data:")),
        [url],
      );
    });
  }
}

testWithBrowser(test, "text keeps a contrast of 4.5 in light, dark and print", async (browser) => {
  writeFileSync(file, await renderEvaluationReport(buildReportModel(aReportInput())));
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

test.run();
