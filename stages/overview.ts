import { existsSync } from "node:fs";
import { comparisonBlocks } from "../reports/comparison/comparison-blocks.js";
import { renderHtml } from "../reports/render-html.js";
import { compareRuns } from "./compare.js";
import { renderMissingPage, renderWorkspacePage } from "../reports/workspace/workspace-page.js";
import type { TriedRequest } from "../reports/workspace/workspace-view.js";
import { toSluiceError } from "../src/base/error.js";
import { listRecords } from "./history.js";
import { type ShownProject, workspaceViewOf } from "./overview/workspace-view-of.js";
import { isReportPageKind, reportPages } from "./report/report-pages.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export interface WorkspacePage {
  /** HTTP status: 200, 404 or 500. */
  readonly status: number;
  readonly html: string;
}

export interface WorkspacePagesOptions {
  /** Returns the project; called for each page. */
  readonly project: () => Promise<ShownProject>;
  /** Decides the text of the box for trying a request; absent: no box. */
  readonly decide?: (text: string) => Promise<TriedRequest>;
}

/** The form of a page: its secret, and what was sent. */
interface PageForm {
  readonly token: string;
  /** null if the page was only requested. */
  readonly sent: URLSearchParams | null;
}

/** Maximum number of reports cached in memory. */
const savedPages = 8;
const reportAddress = /^\/reports\/(?<kind>[a-z]+)\/(?<id>[0-9a-f]{4,64})$/u;

/**
 * Serves the pages of a workspace: `/` lists its contents, and `/reports/KIND/ID` is a report built from stored records
 * on request. Saves nothing; the only request text shown is that of the box.
 *
 * @example const page = await workspacePages(workbench, options)("/", null);
 */
export function workspacePages(
  workbench: WorkbenchContext,
  options: WorkspacePagesOptions,
): (path: string, form: PageForm | null) => Promise<WorkspacePage> {
  const made = new Map<string, string>();
  return async (path, form) => {
    try {
      const html =
        path === "/" ? await firstPage(workbench, options, form) : await pageAt(workbench, options, path, made);
      if (html !== null) return { status: 200, html };
      return missing(404, "There is no such page", path, null);
    } catch (thrown) {
      const { code, message, hint } = toSluiceError(thrown);
      const notThere = code === "RECORD_NOT_FOUND" || code === "FILE_NOT_FOUND";
      return missing(notThere ? 404 : 500, `${code}: this page cannot be created`, message, hint ?? null);
    }
  };
}

async function firstPage(
  workbench: WorkbenchContext,
  { project, decide }: WorkspacePagesOptions,
  form: PageForm | null,
): Promise<string> {
  const field = (name: string): string => form?.sent?.get(name)?.trim() ?? "";
  const [a, b, text] = [field("a"), field("b"), field("text")];
  if (a !== "" && b !== "") {
    const { page } = await compareRuns(workbench, { a, b });
    return renderHtml(comparisonBlocks(page));
  }
  const answer = decide === undefined || text === "" ? null : await decide(text);
  const trying = decide === undefined || form === null ? null : { token: form.token, answer };
  const token = form === null ? null : form.token;
  return renderWorkspacePage(await workspaceViewOf(workbench, await project(), { trying, token }));
}

async function pageAt(
  workbench: WorkbenchContext,
  { project }: WorkspacePagesOptions,
  path: string,
  made: Map<string, string>,
): Promise<string | null> {
  const { kind = "", id = "" } = reportAddress.exec(path)?.groups ?? {};
  if (!isReportPageKind(kind) || !existsSync(workbench.workspace.history)) return null;
  const { people } = await project();
  const render = (): Promise<string> => reportPages[kind](workbench, { id, people });
  // A release page changes with every signature; other pages change only with the calibrations of the run.
  if (kind === "release") return render();
  const calibrations = await listRecords(workbench, { kind: "calibration" });
  return savedPage(made, `${path} ${calibrations.length}`, render);
}

/** Caches pages, which can take seconds to build; only the most recent ones are stored. */
async function savedPage(made: Map<string, string>, key: string, render: () => Promise<string>): Promise<string> {
  const known = made.get(key);
  if (known !== undefined) return known;
  const html = await render();
  made.set(key, html);
  for (const oldest of [...made.keys()].slice(0, -savedPages)) made.delete(oldest);
  return html;
}

const missing = (status: number, title: string, message: string, hint: string | null): WorkspacePage => ({
  status,
  html: renderMissingPage(title, message, hint),
});
