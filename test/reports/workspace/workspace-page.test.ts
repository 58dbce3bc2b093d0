import { renderMissingPage, renderWorkspacePage } from "../../../reports/workspace/workspace-page.js";
import { assert, test } from "../../support/test.js";
import { aTriedRequest, aWorkspaceView } from "./a-workspace-view.js";

test("equal views give equal bytes, without a script, a style attribute or another server", () => {
  const page = renderWorkspacePage(aWorkspaceView());
  assert.is(page, renderWorkspacePage(aWorkspaceView()));
  assert.not.match(page, /<script| style="|https?:\/\//u);
});

test("a line leads from calibration to calibration, with a gap where nothing was certified", () => {
  const page = renderWorkspacePage(aWorkspaceView());
  assert.match(page, "At most wrong: 30% → none → 20% → 15%</figcaption>");
  const [drawing = ""] = /<svg viewBox="0 0 300 60".*?<\/svg>/su.exec(page) ?? [];
  const heights = [...drawing.matchAll(/cy="([\d.]+)"/gu)].map(([, y]) => Number(y));
  assert.equal(heights, [6, 22, 30]);
  assert.is(drawing.match(/<path d=/gu)?.length, 1, "only neighbours are joined");
});

test("names come in as text, and lists say what is left out and what is not there yet", () => {
  const page = renderWorkspacePage(aWorkspaceView());
  assert.match(page, "&lt;b&gt;&amp;");
  assert.not.match(page, "<b>");
  assert.match(page, "Releases (5)");
  assert.match(page, "4 older");
  assert.match(page, "Nothing has been exported yet");
  assert.match(page, "A server refuses the exported bundle");
});

test("the box comes first where there is one, with the text and the decision, else the command that has it", () => {
  const boxless = renderWorkspacePage(aWorkspaceView());
  assert.match(boxless, "<code>sluice ui</code> has a box");
  const page = renderWorkspacePage(aWorkspaceView({ trying: { token: "t", answer: aTriedRequest } }));
  assert.match(page, /<ul><li><a href="#try">Try a request<\/a>/u);
  assert.match(page, "where is &lt;b&gt;my order&lt;/b&gt;</textarea>");
  assert.match(page, "ROUTE orders.status");
  assert.match(page, ">1 : 12</td>");
  assert.not.match(page, "has a box");
});

test("a page that cannot be made says why, as text", () => {
  const page = renderMissingPage("RECORD_NOT_FOUND", 'no run "<x>"', null);
  assert.match(page, "no run &quot;&lt;x&gt;&quot;");
  assert.match(page, '<a href="/">');
});
