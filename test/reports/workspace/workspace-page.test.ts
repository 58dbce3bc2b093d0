import { renderMissingPage, renderWorkspacePage } from "../../../reports/workspace/workspace-page.js";
import { assert, test } from "../../support/test.js";
import { aWorkspaceView } from "./a-workspace-view.js";

test("equal views give equal bytes, without a script, a style attribute or another server", () => {
  const page = renderWorkspacePage(aWorkspaceView());
  assert.is(page, renderWorkspacePage(aWorkspaceView()));
  assert.not.match(page, /<script| style="|https?:\/\//u);
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

test("the box comes first where there is one, else the command that has it", () => {
  const boxless = renderWorkspacePage(aWorkspaceView());
  assert.match(boxless, "<code>sluice serve</code> adds a box");
  const page = renderWorkspacePage(aWorkspaceView({ tryPath: "/docs" }));
  assert.match(page, /<ul><li><a href="\/docs">Try a request<\/a>/u);
  assert.not.match(page, "adds a box");
});

test("a page that cannot be made says why, as text", () => {
  const page = renderMissingPage("RECORD_NOT_FOUND", 'no run "<x>"', null);
  assert.match(page, "no run &quot;&lt;x&gt;&quot;");
  assert.match(page, '<a href="/">');
});
