import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { initOnPage } from "../cli/support/on-page.js";
import { testWithBrowser } from "../support/browser.js";
import { seriousFindings } from "../support/page-checks.js";

const topics = ["cancel", "refund", "track"];
const rows = topics.flatMap((topic) =>
  Array.from(
    { length: 6 },
    (_, at) => `please ${topic} my order ${at},we did that ${at} times,${topic},desk ${at % 2}`,
  ),
);

testWithBrowser(
  test,
  "a project is made on the page by keyboard, on a phone too, without a serious finding",
  (browser) =>
    inTemporaryFolder(async (cwd) => {
      const file = join(cwd, "tickets.csv");
      await writeFile(file, `question,answer,topic,team\n${rows.join("\n")}\n`);
      const { code } = await initOnPage([file, "--into", join(cwd, "p"), "--owner", "me"], async (address) => {
        for (const [width, colorScheme] of [
          [1400, "light"],
          [390, "dark"],
        ] as const) {
          const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
          const complaints: string[] = [];
          page.on("console", (message) => complaints.push(message.text()));
          page.on("pageerror", (error) => complaints.push(error.message));
          await page.goto(`${address}/`);
          await page.waitForSelector("#c-label_column");
          assert.is(await page.evaluate<number>("document.documentElement.scrollWidth"), width);
          await page.evaluate(axe.source);
          assert.equal(await page.evaluate<readonly string[]>(seriousFindings), []);
          assert.equal(complaints, []);
          await page.close();
        }
        const page = await browser.newPage();
        await page.goto(`${address}/`);
        // A changed choice shows its effect at once, and the keyboard stays where it was.
        await Promise.all([page.waitForNavigation(), page.selectOption("#c-label_column", "team")]);
        assert.match(await page.innerText("#labels"), "desk 1");
        assert.is(await page.evaluate<string>("document.activeElement.id"), "c-label_column");
        await Promise.all([page.waitForNavigation(), page.selectOption("#c-label_column", "topic")]);
        await page.focus("#labels input[value=track]");
        await Promise.all([page.waitForNavigation(), page.keyboard.press("Space")]);
        assert.ok(await page.isChecked("#labels input[value=track]"));
        await page.focus("#write-project");
        await page.keyboard.press("Enter");
        await page.waitForSelector("#written");
        assert.match(await page.innerText("#written"), "catalog.yaml");
      });
      assert.is(code, 0);
      assert.ok(existsSync(join(cwd, "p", "sluice.yaml")));
    }),
);
