import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import type { uvu } from "uvu";
import { skipTest } from "./shared.js";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Registers a test that needs a real browser: a headless Chromium with a new profile, closed after the test. The
 * program is named by CHROMIUM, else /usr/bin/chromium; without it the runner prints a line that names the test.
 */
export function testWithBrowser<T>(test: uvu.Test<T>, name: string, body: (browser: Browser) => Promise<void>): void {
  if (!existsSync(executablePath)) {
    skipTest(name, executablePath);
    return;
  }
  test(name, async () => {
    const browser = await chromium.launch({ executablePath, headless: true, args });
    try {
      await body(browser);
    } finally {
      await browser.close();
    }
  });
}
