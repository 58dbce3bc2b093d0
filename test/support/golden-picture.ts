import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { packageRoot } from "./package-root.js";

const require = createRequire(import.meta.url);
const folder = join(packageRoot, "test", "reports", "goldens");
/** Share of pixels that may differ: edges of letters and lines, which other versions of a browser draw differently. */
const tolerance = 0.01;
/** How far the colour of a pixel may be off before it differs, 0 to 1. */
const pixelTolerance = 0.25;

const weights = ["400", "700"] as const;
const fontData = (weight: string): string =>
  readFileSync(require.resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff2`), "base64");

/** One font for every text, so that the fonts of the machine do not change any line. */
const pictureStyle = (): string =>
  `${weights.map((weight) => `@font-face { font-family: "golden"; font-weight: ${weight}; src: url(data:font/woff2;base64,${fontData(weight)}); }`).join("\n")}
* { font-family: "golden" !important; transition: none !important; animation: none !important; }
::-webkit-scrollbar { display: none; }`;

/** Averages four pixels into one: the files are small, and an edge that is slightly off differs less. */
function halved(whole: PNG): PNG {
  const half = new PNG({ width: whole.width >> 1, height: whole.height >> 1 });
  for (let y = 0; y < half.height; y++) {
    for (let x = 0; x < half.width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        const at = 4 * (2 * y * whole.width + 2 * x) + channel;
        const below = at + 4 * whole.width;
        const sum = [at, at + 4, below, below + 4].reduce((total, place) => total + (whole.data[place] ?? 0), 0);
        half.data[4 * (y * half.width + x) + channel] = Math.round(sum / 4);
      }
    }
  }
  return half;
}

/** What is on the screen in one font, at half its size. */
export async function pictureOf(page: Page): Promise<PNG> {
  await page.addStyleTag({ content: pictureStyle() });
  await page.evaluate("document.fonts.ready.then(() => true)");
  return halved(PNG.sync.read(await page.screenshot({ animations: "disabled", caret: "hide" })));
}

/**
 * The share of pixels in which a picture differs from its golden file, and whether that is more than is tolerated. With
 * UPDATE_GOLDEN=1 the file is written.
 */
export function comparedWithGolden(name: string, picture: PNG): { readonly share: number; readonly differs: boolean } {
  const file = join(folder, `${name}.png`);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, PNG.sync.write(picture, { colorType: 2 }));
  const golden = PNG.sync.read(readFileSync(file));
  const { width, height } = golden;
  if (picture.width !== width || picture.height !== height) return { share: 1, differs: true };
  const share =
    pixelmatch(golden.data, picture.data, undefined, width, height, { threshold: pixelTolerance }) / (width * height);
  return { share, differs: share > tolerance };
}
