import { access, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { chartFiles } from "../../reports/chart-file.js";
import type { PageChart } from "../../reports/page-figure.js";
import type { PageLink } from "../../reports/page-document.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { SluiceError, toSluiceError } from "../../src/base/error.js";
import { createRequire } from "node:module";
import type { Resvg } from "@resvg/resvg-wasm";
import { renderEvaluationReport } from "../../reports/evaluation-report.js";
import { renderEvaluationMarkdown } from "../../reports/markdown.js";
import type { ReportModel } from "../../reports/report-model.js";
import { replaceFile } from "../../src/base/files.js";
import { isImported } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { buildReport, type BuildReportOptions } from "./build-report.js";

/** Renderers of a page by format. */
export interface PageForms {
  readonly html: () => Promise<string>;
  readonly markdown: () => string;
  readonly json: () => unknown;
}

export interface WrittenPage {
  readonly file: string;
  /** Media type of the file, e.g. "text/html". */
  readonly media: string;
}

const forms: Readonly<
  Record<string, { readonly media: string; readonly bytes: (page: PageForms) => Promise<Uint8Array> }>
> = {
  ".html": { media: "text/html", bytes: async ({ html }) => Buffer.from(await html(), "utf8") },
  ".md": { media: "text/markdown", bytes: async ({ markdown }) => Buffer.from(markdown(), "utf8") },
  ".json": { media: "application/json", bytes: async ({ json }) => canonicalBytes(json()) },
};

/** @throws {SluiceError} USAGE  an extension other than .html, .md or .json */
export function requirePageEnding(file: string, command: string): void {
  if (Object.hasOwn(forms, extname(file).toLowerCase())) return;
  throw new SluiceError("USAGE", `--out: found "${file}", expected a file ending in ${Object.keys(forms).join(", ")}`, {
    hint: `For example: --out ${command}.html`,
  });
}

/** Writes a page in the format of its extension. @throws {SluiceError} WRITE_FAILED */
export async function writePage(file: string, page: PageForms): Promise<WrittenPage> {
  const form = forms[extname(file).toLowerCase()];
  if (form === undefined) throw new SluiceError("INTERNAL", `${file}: its ending was not checked`);
  await writeReportFile(file, await form.bytes(page));
  return { file, media: form.media };
}

/** Pages that link to each other, by their default file names. */
const pagesOfRelease = [
  { label: "Release", file: "release.html" },
  { label: "Evaluation", file: "report.html" },
  { label: "Calibration", file: "calibration.html" },
  { label: "Comparison", file: "comparison.html" },
] as const;

/** Links to the other pages in the folder of a page. */
export async function linksBeside(file: string): Promise<readonly PageLink[]> {
  if (extname(file).toLowerCase() !== ".html") return [];
  const links: PageLink[] = [];
  for (const page of pagesOfRelease) {
    if (page.file !== basename(file) && (await exists(join(dirname(file), page.file)))) links.push(page);
  }
  return links;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Writes the spec and the images (SVG, PNG) of every chart into a folder, which is created if missing.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function writeCharts(
  folder: string | undefined,
  charts: readonly PageChart[],
): Promise<readonly string[]> {
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
  for (const { name, bytes } of await chartFiles(charts)) {
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

/** A rendered report. */
interface RenderedReport {
  readonly bytes: Uint8Array;
  readonly media: string;
}

type Render = (model: ReportModel) => Promise<RenderedReport>;

const fileMode = 0o644;

/** Report renderers by file extension. */
const renderers: Readonly<Record<string, Render>> = {
  ".html": async (model) => ({ bytes: Buffer.from(await renderEvaluationReport(model), "utf8"), media: "text/html" }),
  ".md": async (model) => ({ bytes: Buffer.from(renderEvaluationMarkdown(model), "utf8"), media: "text/markdown" }),
  ".json": async (model) => ({ bytes: canonicalBytes(model), media: "application/json" }),
};

/** The renderer for a file. @throws {SluiceError} USAGE  an extension other than .html, .md or .json */
export function rendererFor(file: string): Render {
  const render = renderers[extname(file).toLowerCase()];
  if (render !== undefined) return render;
  const endings = Object.keys(renderers).join(", ");
  throw new SluiceError("USAGE", `--out: found "${file}", expected a file ending in ${endings}`, {
    hint: "For example: sluice report eval --out report.html",
  });
}

/** Replaces a report atomically. @throws {SluiceError} WRITE_FAILED */
export async function writeReportFile(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await replaceFile(file, bytes, fileMode);
  } catch (cause) {
    throw new SluiceError("WRITE_FAILED", toSluiceError(cause).message, {
      hint: "Choose another file: sluice report eval --out FILE",
      cause,
    });
  }
}

interface SaveReportOptions extends BuildReportOptions {
  /** File whose extension sets the format: .html, .md or .json. */
  readonly file: string;
}

/** A written and saved report. */
export interface StoredReport {
  readonly reportId: string;
  readonly evaluationId: string;
  readonly runId: string;
  /** Whether the predictions were imported. */
  readonly imported: boolean;
  /** Calibration behind the decisions in the report; null if the run has none. */
  readonly calibrationId: string | null;
  /** Media type of the file, e.g. "text/html". */
  readonly media: string;
  readonly model: ReportModel;
}

/**
 * Renders the report of one fold of a run from stored records, writes the file atomically, and saves the report.
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, CALIBRATION_INVALID (different identities), WRITE_FAILED
 */
export async function saveReport(session: Session, options: SaveReportOptions): Promise<StoredReport> {
  const render = rendererFor(options.file);
  const { run, calibration, evaluationBytes, model } = await buildReport(session.history, options);
  const evaluation = saveRecord(session, "evaluation", evaluationBytes);
  const content = await render(model);
  await writeReportFile(options.file, content.bytes);
  const { sha256 } = saveRecord(session, "report", content.bytes);
  return {
    reportId: sha256,
    evaluationId: evaluation.sha256,
    runId: run.sha256,
    imported: isImported(run.document),
    calibrationId: calibration?.sha256 ?? null,
    media: content.media,
    model,
  };
}
