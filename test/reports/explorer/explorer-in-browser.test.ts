import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { evaluationBlocks } from "../../../reports/evaluation-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import type { ReportedRequest } from "../../../reports/reported-request.js";
import { buildReportModel } from "../../../reports/view-model.js";
import { assert, test } from "../../support/test.js";
import { testWithBrowser } from "../../support/browser.js";
import { aShortlist } from "../../support/builders.js";
import { aCalibration, aReportInput } from "../an-evaluation.js";
import { reportedRequestsOf } from "../reported-requests.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-explorer-"));
const file = join(folder, "report.html");
const url = pathToFileURL(file).href;

test.after(() => rmSync(folder, { recursive: true, force: true }));

async function write(requests: readonly ReportedRequest[], calibration = aCalibration()): Promise<void> {
  writeFileSync(file, await renderHtml(evaluationBlocks(buildReportModel(aReportInput({ requests, calibration })))));
}

async function open(browser: Browser, hash = "", javaScriptEnabled = true) {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 }, javaScriptEnabled });
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${url}${hash}`);
  return { page, complaints, textOf: (id: string) => page.locator(`#${id}`).innerText() };
}

testWithBrowser(
  test,
  "keys move the threshold, and the answer, the changes and the address follow",
  async (browser) => {
    await write(reportedRequestsOf(400));
    const { page, complaints, textOf } = await open(browser);
    assert.match(await textOf("x-certified"), "The certified thresholds.");
    assert.is(await textOf("x-changed"), "0");
    const before = await textOf("x-coverage");
    await page.locator("#x-threshold").press("PageDown");
    assert.is.not(await textOf("x-coverage"), before);
    assert.match(await textOf("x-certified"), "Not certified");
    assert.match(await textOf("x-command"), /^sluice calibrate fit --run a{12} --claim new-workflows --target 0\.1 /);
    assert.match(page.url(), "#explore?t=");
    const again = await open(browser, new URL(page.url()).hash);
    for (const id of ["x-coverage", "x-risk", "x-changed"]) assert.is(await again.textOf(id), await textOf(id));
    assert.equal([...complaints, ...again.complaints], []);
  },
);

testWithBrowser(
  test,
  "errors are found by ending, pair and words, the surest wrong route first, and one opens in its place",
  async (browser) => {
    const requests = reportedRequestsOf(400).map((each) => {
      return { ...each, text: `<b>text of ${each.id}</b>`, shortlist: { length: 2, hasRight: true } };
    });
    await write(requests, aCalibration({ shortlist: aShortlist() }));
    const { page, complaints, textOf } = await open(browser);
    await page.locator("#x-bucket").selectOption("routed_wrong");
    const wrong = requests.filter(({ bucket }) => bucket === "routed_wrong");
    assert.ok(wrong.length > 0 && (await textOf("x-found")).startsWith(`${wrong.length} found`));
    const surest = wrong.toSorted((a, b) => b.confidence - a.confidence)[0];
    const first = page.locator("#x-errors tr").first();
    assert.match(await first.innerText(), `<b>text of ${surest?.id ?? ""}</b>`);
    assert.match(
      await first.innerText(),
      `${surest?.rightWorkflowId ?? ""} → ${surest?.candidates[0]?.workflowId ?? ""}`,
    );
    await first.locator("button").press("Enter");
    assert.match(await page.locator("#x-errors tr").nth(1).innerText(), "desk.second 1 : 4");
    await page.locator("#x-search").fill(`text of ${wrong.at(-1)?.id ?? ""}<`);
    assert.match(await textOf("x-found"), /^1 found/);
    await page.locator("#x-errors button").first().press("Enter");
    assert.match(await textOf("x-story"), /Shortlist\s+2 workflows, the right one among them/);
    assert.match(await page.locator("#explorer").innerText(), "This page contains request texts.");
    assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), 390);
    assert.equal(complaints, []);
  },
);

testWithBrowser(test, "without a script the page is whole and says what is missing", async (browser) => {
  await write(reportedRequestsOf(100));
  const { page } = await open(browser, "", false);
  assert.match(await page.locator("#explorer").innerText(), "The explorer needs JavaScript.");
  assert.is(await page.locator("#explorer-controls").isVisible(), false);
  assert.ok(await page.locator("#tier-curve-1 svg").isVisible());
});

testWithBrowser(test, "50,000 requests make a page below 5 MB", async (browser) => {
  await write(reportedRequestsOf(50_000));
  assert.ok(statSync(file).size < 5e6, `${statSync(file).size} bytes`);
  const { page, complaints } = await open(browser);
  await page.locator("#x-threshold").press("PageDown");
  const [opened, moved] = await page.evaluate<readonly [number, string]>(
    "[performance.getEntriesByType('navigation')[0].loadEventEnd, document.getElementById('explorer').dataset.milliseconds]",
  );
  process.stdout.write(
    `explorer: ${statSync(file).size} bytes, opened in ${Math.round(opened)} ms, moved in ${moved} ms\n`,
  );
  assert.equal(complaints, []);
});
