import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import type { Test } from "./registration.js";
import { closeAtEnd, skipTest } from "./shared.js";

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

let launched: Promise<Browser> | undefined;

/** The browser of this process, started when the first test needs it. */
async function sharedBrowser(): Promise<Browser> {
  if (launched === undefined) {
    launched = chromium.launch({ executablePath, headless: true, args });
    closeAtEnd(async () => {
      await (await launched)?.close();
      launched = undefined;
    });
  }
  return launched;
}

/**
 * Registers a test that needs a real browser: a headless Chromium. Its `newPage` opens each page in a new profile, and the
 * profiles are closed after the test. The program is named by CHROMIUM, else /usr/bin/chromium; without it the runner
 * prints a line that names the test.
 */
export function testWithBrowser<T>(test: Test<T>, name: string, body: (browser: Browser) => Promise<void>): void {
  if (!existsSync(executablePath)) {
    skipTest(name, executablePath);
    return;
  }
  test(name, async () => {
    const browser = await sharedBrowser();
    try {
      await body(browser);
    } finally {
      await Promise.all(browser.contexts().map((context) => context.close()));
    }
  });
}
