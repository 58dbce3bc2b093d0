import { calibrationBlocks } from "../../reports/calibration/calibration-blocks.js";
import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { releaseBlocks } from "../../reports/release/release-blocks.js";
import { renderHtml } from "../../reports/render-html.js";
import type { ProjectPeople } from "../../store/project/people.js";
import { withHistory } from "../../store/records/session.js";
import { readRelease } from "../sign.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { buildReport } from "./build-report.js";
import { calibrationPageOf } from "./write-calibration-page.js";

export interface PageRequest {
  /** Record id or its beginning. */
  readonly id: string;
  /** People of the project, whose approvals count until the workspace has a trust policy. */
  readonly people: ProjectPeople | null;
}

/** Renders the page of one kind of report from stored records, without request texts. */
type RenderPage = (workbench: WorkbenchContext, request: PageRequest) => Promise<string>;

/**
 * Reports by KIND in their path `/reports/KIND/ID`: of a run, of a calibration, of a run under its thresholds, of a
 * bundle.
 */
export const reportPages = {
  run: (workbench, { id }) => evaluationPage(workbench, { runId: id }),
  calibration: (workbench, { id }) =>
    withHistory(workbench, "read", async ({ history }) =>
      renderHtml(calibrationBlocks(calibrationPageOf(history, id).page)),
    ),
  thresholds: (workbench, { id }) => evaluationPage(workbench, { calibrationId: id }),
  release: async (workbench, { id, people }) => {
    const { page, page_status: pageStatus } = await readRelease(workbench, { bundle: id, people: people ?? undefined });
    return renderHtml(releaseBlocks(page, pageStatus));
  },
} as const satisfies Readonly<Record<string, RenderPage>>;
export type ReportPageKind = keyof typeof reportPages;

export const isReportPageKind = (kind: string): kind is ReportPageKind => Object.hasOwn(reportPages, kind);

/** The path of a report. */
export const reportPath = (kind: ReportPageKind, id: string): string => `/reports/${kind}/${id}`;

async function evaluationPage(
  workbench: WorkbenchContext,
  subject: { readonly runId: string } | { readonly calibrationId: string },
): Promise<string> {
  const { model } = await withHistory(workbench, "read", async ({ history }) => buildReport(history, subject));
  return renderHtml(evaluationBlocks(model));
}
