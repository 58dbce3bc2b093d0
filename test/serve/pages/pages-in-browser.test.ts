import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { renderWorkspacePage } from "../../../reports/workspace/workspace-page.js";
import { startPageServer } from "../../../serve/pages/page-server.js";
import { aTriedRequest, aWorkspaceView } from "../../reports/workspace/a-workspace-view.js";
import { assert, test } from "../../support/test.js";
import { testWithBrowser } from "../../support/browser.js";
import { seriousFindings } from "../../support/page-checks.js";
import { inServedFolder, orderRequest } from "../../support/served-bundles.js";
import { post } from "../support/http.js";

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(seriousFindings);
}

/** A4 without margins of 14 mm, at 96 pixels an inch. */
const paperWidth = Math.floor((182 / 25.4) * 96);

/** Whether the page fits, can be read and can be used by keyboard, on a screen, a phone and paper. */
async function look(browser: Browser, url: string, ready: string): Promise<void> {
  // The layout is that of the width, the colours are those of the scheme: two combinations show both.
  for (const [width, colorScheme] of [
    [1400, "light"],
    [390, "dark"],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("data:"))
        foreign.push(request.url());
    });
    await page.goto(url);
    await page.waitForSelector(ready);
    const where = `${url} ${width} ${colorScheme}`;
    assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width, where);
    assert.equal(await violations(page), [], where);
    assert.equal([complaints, foreign], [[], []], where);
    const unreachable = '[...document.querySelectorAll(".scroll")].filter((box) => box.tabIndex < 0).length';
    assert.is(await page.evaluate<number>(unreachable), 0, where);
    await page.close();
  }
  const paper = await browser.newPage({ viewport: { width: paperWidth, height: 1000 } });
  await paper.emulateMedia({ media: "print" });
  await paper.goto(url);
  await paper.waitForSelector(ready);
  assert.ok((await paper.evaluate<number>("document.documentElement.scrollWidth")) <= paperWidth, `${url} on paper`);
  await paper.close();
}

/** The first link or button that Tab reaches. */
async function firstByKeyboard(page: Page): Promise<string> {
  await page.keyboard.press("Tab");
  return page.evaluate<string>("document.activeElement.textContent.trim()");
}

async function workspacePart(browser: Browser): Promise<void> {
  const view = aWorkspaceView({ trying: { token: "t", answer: aTriedRequest } });
  const source = async (path: string) => ({
    status: 200,
    html: path === "/" ? renderWorkspacePage(view) : "<p>report</p>",
  });
  const server = await startPageServer({ host: "127.0.0.1", port: 0 }, source);
  try {
    await look(browser, `${server.address}/`, "#releases");
    const page = await browser.newPage();
    await page.goto(`${server.address}/`);
    assert.is(await firstByKeyboard(page), "Try a request");
    await page.locator("#runs a").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/reports/run/*");
    await page.close();
  } finally {
    await server.close();
  }
}

async function opsPart(browser: Browser): Promise<void> {
  await inServedFolder(async (served) => {
    const server = await served.start({ bundle: await served.bundle(1), metricsPort: 0, opsPage: true });
    await post(server.address, orderRequest(1));
    const url = server.opsAddress ?? "";
    await look(browser, url, "#live table");
    const page = await browser.newPage();
    await page.goto(url);
    assert.is(await firstByKeyboard(page), "Pause");
    const counted = () => page.locator("#decisions").innerText();
    assert.is(await counted(), "Decisions by reason (1)");
    await post(server.address, orderRequest(1));
    await page.keyboard.press("Enter");
    assert.is(await page.locator("#state").innerText(), "Paused.");
    await page.keyboard.press("Enter");
    await page.locator("#decisions", { hasText: "Decisions by reason (2)" }).waitFor();
    await page.route("**/ops", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(/(Failed<\/dt><dd>)0/, "$11,250");
      await route.fulfill({ response: answer, body });
    });
    await page.locator("dl svg[aria-label='from 0 to 1250']").waitFor();
    await page.close();
  });
}

testWithBrowser(
  test,
  "workspace with its box and live page fit screen, phone and paper, in both colours, work by keyboard, and axe finds nothing serious",
  async (browser) => {
    await workspacePart(browser);
    await opsPart(browser);
  },
);
