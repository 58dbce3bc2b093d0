import { suite } from "uvu";
import * as assert from "uvu/assert";
import { explorerView } from "../../../reports/explorer/explorer-view.js";
import { aCalibration, anEvaluation } from "../an-evaluation.js";
import { reportedRequestsOf } from "../reported-requests.js";

const test = suite("reports/explorer/explorer-view");
const evaluation = anEvaluation(40);

/** A view of as many requests as workflows, each with its own workflow. */
function viewOf(count: number) {
  const requests = reportedRequestsOf(count).map((request, index) => {
    const rightWorkflowId = `desk.w${String(index).padStart(6, "0")}`;
    return { ...request, rightWorkflowId, candidates: [{ workflowId: rightWorkflowId, confidence: 0.5 }] };
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

test.run();
