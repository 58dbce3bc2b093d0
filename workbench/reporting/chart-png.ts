import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Resvg } from "@resvg/resvg-wasm";

const require = createRequire(import.meta.url);

/** Pixels of a picture for each pixel of the chart: text stays sharp on slides. */
const zoom = 2;
const family = "DejaVu Sans";

/** The renderer and its fonts: both come with the package, so that the fonts of the machine decide nothing. */
interface Renderer {
  readonly Resvg: typeof Resvg;
  readonly fontBuffers: Uint8Array[];
}

let loading: Promise<Renderer> | undefined;

async function load(): Promise<Renderer> {
  const { initWasm, Resvg: renderer } = await import("@resvg/resvg-wasm");
  await initWasm(await readFile(require.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const fonts = [
    require.resolve("@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2"),
    require.resolve("@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2"),
  ];
  return { Resvg: renderer, fontBuffers: await Promise.all(fonts.map((font) => readFile(font))) };
}

/** The PNG of a picture, on white, two pixels for each of its own. Equal pictures give equal bytes on every machine. */
export async function pngOf(svg: Uint8Array): Promise<Uint8Array> {
  loading ??= load();
  const { Resvg: renderer, fontBuffers } = await loading;
  const font = { fontBuffers, defaultFontFamily: family, sansSerifFamily: family };
  const drawing = new renderer(svg, { background: "#ffffff", fitTo: { mode: "zoom", value: zoom }, font });
  const image = drawing.render();
  try {
    return image.asPng();
  } finally {
    image.free();
    drawing.free();
  }
}
