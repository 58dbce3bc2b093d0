import type { Sha256 } from "../../src/base/sha256.js";
import type { Resvg } from "@resvg/resvg-wasm";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { chartsOf, type PageBlocks, type PageLink } from "../../reports/blocks.js";
import { chartFiles } from "../../reports/chart-file.js";
import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { type PageForm, pageForm, type ReportPage } from "../../reports/page-form.js";
import type { ReportModel } from "../../reports/view-model.js";
import { command, say, SluiceError, toSluiceError } from "../../src/base/error.js";
import { pathExists, replaceFile } from "../../src/base/files.js";
import { isImported } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { buildReport, type BuildReportOptions } from "./build-report.js";

export interface WrittenPage {
  readonly file: string;
  /** Media type of the file, e.g. "text/html". */
  readonly media: string;
}

/** Writes a page in a format. @throws {SluiceError} WRITE_FAILED */
export async function writePage(file: string, form: PageForm, page: ReportPage): Promise<WrittenPage> {
  await writeReportFile(file, await form.render(page));
  return { file, media: form.media };
}

/** Pages that link to each other, by their default file names. */
const pagesOfRelease = [
  { label: "Release", file: "release.html" },
  { label: "Evaluation", file: "report.html" },
  { label: "Calibration", file: "calibration.html" },
  { label: "Comparison", file: "comparison.html" },
] as const;

export async function linksBeside(file: string): Promise<readonly PageLink[]> {
  if (extname(file).toLowerCase() !== ".html") return [];
  const links: PageLink[] = [];
  for (const page of pagesOfRelease) {
    if (page.file !== basename(file) && (await pathExists(join(dirname(file), page.file)))) links.push(page);
  }
  return links;
}

/**
 * Writes the spec and the images (SVG, PNG) of every chart of a page into a folder, which is created if missing.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function writeCharts(folder: string | undefined, page: PageBlocks): Promise<readonly string[]> {
  if (folder === undefined) return [];
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new SluiceError("WRITE_FAILED", `${folder}: the folder cannot be created`, {
      hint: "Choose another folder: --charts FOLDER",
      cause,
    });
  }
  const written: string[] = [];
  const write = async (name: string, bytes: Uint8Array): Promise<void> => {
    const file = join(folder, name);
    await writeReportFile(file, bytes);
    written.push(file);
  };
  for (const { name, bytes } of await chartFiles(chartsOf(page))) {
    await write(name, bytes);
    if (name.endsWith(".svg")) await write(`${basename(name, ".svg")}.png`, await pngOf(bytes));
  }
  return written;
}

const require = createRequire(import.meta.url);

/** Scale factor of images, so that text stays sharp on slides. */
const zoom = 2;
const family = "DejaVu Sans";

/** The renderer and its fonts, both from the package, so that the output does not depend on installed fonts. */
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

/** Renders an SVG as PNG on white, scaled by `zoom`. Equal images give equal bytes on every machine. */
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

const fileMode = 0o644;

/** Replaces a report atomically. @throws {SluiceError} WRITE_FAILED */
export async function writeReportFile(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await replaceFile(file, bytes, fileMode);
  } catch (cause) {
    throw new SluiceError("WRITE_FAILED", toSluiceError(cause).message, {
      hint: say`Choose another file: ${command`sluice report eval --out FILE`}`,
      cause,
    });
  }
}

interface SaveReportOptions extends BuildReportOptions {
  /** File whose extension sets the format: .html, .md or .json. */
  readonly file: string;
  /** Folder for the spec and the image of each chart. Default: none. */
  readonly charts?: string | undefined;
}

export interface StoredReport extends WrittenPage {
  readonly reportId: Sha256;
  readonly evaluationId: string;
  readonly runId: string;
  readonly imported: boolean;
  /** Calibration behind the decisions in the report; null if the run has none. */
  readonly calibrationId: string | null;
  readonly charts: readonly string[];
  readonly model: ReportModel;
}

/**
 * Renders the report of one fold of a run from stored records, writes the file atomically, and saves the report.
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, CALIBRATION_INVALID (different identities), WRITE_FAILED
 */
export async function saveReport(session: Session, options: SaveReportOptions): Promise<StoredReport> {
  const { file, charts } = options;
  const form = pageForm(file, say`For example: ${command`sluice report eval --out report.html`}`);
  const { run, calibration, evaluationBytes, model } = await buildReport(session.history, options);
  const evaluation = saveRecord(session, "evaluation", evaluationBytes);
  const blocks = evaluationBlocks(model);
  const bytes = await form.render({ blocks, document: model });
  await writeReportFile(file, bytes);
  const { sha256 } = saveRecord(session, "report", bytes);
  return {
    reportId: sha256,
    evaluationId: evaluation.sha256,
    runId: run.sha256,
    imported: isImported(run.document),
    calibrationId: calibration?.sha256 ?? null,
    file,
    media: form.media,
    charts: await writeCharts(charts, blocks),
    model,
  };
}
