import { extname } from "node:path";
import { renderEvaluationReport } from "../../reports/evaluation-report.js";
import { renderEvaluationMarkdown } from "../../reports/markdown.js";
import type { ReportModel } from "../../reports/report-model.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { replaceFile } from "../../src/base/files.js";
import { SluiceError, toSluiceError } from "../../src/base/error.js";

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
