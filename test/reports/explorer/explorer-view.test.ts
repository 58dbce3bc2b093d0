import { evaluationBlocks } from "../../../reports/evaluation-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { renderMarkdown } from "../../../reports/render-markdown.js";
import { explorerView } from "../../../reports/explorer/explorer-view.js";
import { buildReportModel } from "../../../reports/view-model.js";
import { assert, pluck, test } from "../../support/test.js";
import { aShortlist } from "../../support/builders.js";
import { aCalibration, anEvaluation, aReportInput } from "../an-evaluation.js";
import { reportedRequestsOf } from "../reported-requests.js";

const evaluation = anEvaluation(40);

/** A view of as many requests as workflows, each with its own workflow. */
function viewOf(count: number) {
  const requests = reportedRequestsOf(count).map((request, index) => {
    const rightWorkflowId = `desk.w${String(index).padStart(6, "0")}`;
    return { ...request, rightWorkflowId, candidates: [{ workflowId: rightWorkflowId, odds: 1 }] };
  });
  const view = explorerView({ evaluation, calibration: aCalibration(), requests });
  return view ?? (assert.unreachable("expected a view") as never);
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");

test("the place of a workflow has 16 bits", () => {
  const { columns } = viewOf(9);
  const right = bytesOf(columns.right);
  assert.equal([right.length, right.readUInt16LE(2 * 8)], [2 * 9, 8]);
  const candidates = bytesOf(columns.candidateWorkflow);
  assert.equal([candidates.readUInt16LE(2 * 24), candidates.readUInt16LE(2 * 25)], [8, 0xffff]);
});

test("more workflows than 16 bits tell apart have places of 32 bits, each its own", () => {
  const count = 65_537;
  const { columns, workflows } = viewOf(count);
  assert.is(workflows.length, count);
  const right = bytesOf(columns.right);
  assert.equal([right.length, right.readUInt32LE(4 * (count - 1))], [4 * count, count - 1]);
  const candidates = bytesOf(columns.candidateWorkflow);
  const last = 4 * 3 * (count - 1);
  assert.equal([candidates.readUInt32LE(last), candidates.readUInt32LE(last + 4)], [count - 1, 0xffffffff]);
});

test("the page says how long shortlists are and whether each has the right workflow, where they are certified", async () => {
  const unlisted = { length: 0, hasRight: false };
  const lists = [unlisted, { length: 2, hasRight: true }, { length: 3, hasRight: false }];
  const requests = reportedRequestsOf(6).map((request, index) => ({
    ...request,
    shortlist: lists[index % 3] ?? unlisted,
  }));
  const certified = aCalibration({ shortlist: aShortlist() });
  const model = buildReportModel(aReportInput({ calibration: certified, requests }));
  assert.equal(model.explorer?.listed, [0, 18, 3, 0, 18, 3]);
  const { caption = "", columns = [], rows = [] } = model.shortlistLengths ?? {};
  assert.match(caption, /signed thresholds: confidence 0\.05, relative odds 0\.0001$/);
  assert.equal(pluck(columns, "label"), ["Requests", "All", "Empty", "1", "2", "3", "Contain the right workflow"]);
  assert.equal(rows, [
    ["In scope", "4", "0", "0", "2", "2", "2"],
    ["Out of scope", "2", "2", "0", "0", "0", "-"],
  ]);
  assert.match(await renderHtml(evaluationBlocks(model)), caption);
  assert.match(renderMarkdown(evaluationBlocks(model)), caption);
  const none = buildReportModel(aReportInput({ requests }));
  assert.equal([none.explorer?.listed, none.shortlistLengths], [null, null]);
});
