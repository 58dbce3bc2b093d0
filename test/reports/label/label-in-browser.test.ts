import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { knowing, labelOnPage, writeSmallLog } from "../../cli/support/label-on-page.js";
import { inWorld } from "../../cli/support/test-world.js";
import { testWithBrowser } from "../../support/browser.js";
import { seriousFindings } from "../../support/page-checks.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { watchedPage } from "../../support/watched-page.js";

const phone = { width: 390, colorScheme: "dark" } as const;

/** Presses the key of the right workflow, as a person does; the search takes it where no key has it. */
async function pressRight(page: Page): Promise<void> {
  const text = await page.locator(".request").innerText();
  const right = knowing({ token: "", phase: "", row: "", text, shortlist: [], progress: "" });
  const key = await page.locator(`button[value="${right}"]`).getAttribute("data-key");
  if (key === null) throw new Error(`no key for ${right}`);
  await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
}

testWithBrowser(test, "on a phone, keys alone lead from the first example to a passed test", (browser) =>
  inTemporaryFolder(async (cwd) => {
    const { tools, log } = await writeSmallLog(cwd);
    const project = join(cwd, "p");
    assert.is((await inWorld("init", tools, "--log", log, "--into", project, "--seed", "5")).code, 0);
    await labelOnPage(project, async (address) => {
      const { page, complaints, requests } = await watchedPage(browser, `${address}/`, phone);
      assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), phone.width);
      await page.evaluate(axe.source);
      assert.equal(await page.evaluate<readonly string[]>(seriousFindings), []);

      await page.keyboard.press("/");
      await page.locator("#search").fill("track_parcel");
      await Promise.all([page.waitForNavigation(), page.locator("#search").press("Enter")]);
      await Promise.all([page.waitForNavigation(), page.keyboard.press("z")]);
      assert.match(await page.locator("#progress").innerText(), "Examples: 0 of 15.");

      let clicks = 0;
      while ((await page.locator(".request").count()) > 0) {
        await pressRight(page);
        clicks += 1;
      }
      assert.ok(clicks >= 50, `${clicks} clicks`);
      assert.match(await page.locator("#progress").innerText(), "The test is passed: at most 10% of routes are wrong");
      assert.equal(complaints, []);
      assert.ok(requests.every((one) => one === `${address}/`));
    });
  }),
);
