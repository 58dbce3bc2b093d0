// Writes docs/report.png: the first screen of the report of the demonstration, as the README shows it.
// usage: node scripts/readme-pictures.mjs [REPORT.html]; without a file the demonstration is run first.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const picture = join(root, "docs", "report.png");
const size = { width: 1000, height: 1060 };
/** A picture that everybody downloads who looks at the README. */
const largestBytes = 150 * 1024;

/** Runs the demonstration in a folder and returns its report. */
function demonstrate(folder) {
  const program = join(root, "dist", "cli", "main.js");
  const { status } = spawnSync(process.execPath, [program, "quickstart", "--check", "--workspace", folder], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`the demonstration ended with ${status}`);
  return join(folder, "report.html");
}

const folder = mkdtempSync(join(tmpdir(), "sluice-picture-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const report = process.argv[2] === undefined ? demonstrate(folder) : resolve(process.argv[2]);
  const page = await browser.newPage({ viewport: size, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(pathToFileURL(report).href);
  await page.screenshot({ path: picture, animations: "disabled" });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
const { size: bytes } = statSync(picture);
process.stdout.write(`docs/report.png: ${size.width} x ${size.height}, ${bytes} bytes\n`);
if (bytes > largestBytes)
  throw new Error(`docs/report.png has ${bytes} bytes, at most ${largestBytes} are meant to be loaded`);
