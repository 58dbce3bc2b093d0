import { releaseBlocks } from "../../../reports/release/release-blocks.js";
import { renderHtml } from "../../../reports/render-html.js";
import { renderMarkdown } from "../../../reports/render-markdown.js";
import { PageStatusSchema, statusSentence } from "../../../reports/release/page-status.js";
import { pageForm } from "../../../reports/page-form.js";
import { ReleasePageSchema } from "../../../reports/release/release-page.js";
import { releaseText, summaryWidth } from "../../../reports/release/release-text.js";
import { statusIn } from "../../../reports/release/status-comment.js";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import { matchesSchema } from "../../../src/documents/check-schema.js";
import { assert, test, throws } from "../../support/test.js";
import { aReleasePage, aPageStatus } from "./a-release-page.js";

test("every twin of equal models has equal bytes, and carries the status that it was made with", async () => {
  const page = aReleasePage();
  const status = aPageStatus(page);
  assert.ok(matchesSchema(ReleasePageSchema, page) && matchesSchema(PageStatusSchema, status));
  for (const ending of [".html", ".md", ".json"]) {
    const { render } = pageForm(`release${ending}`, "");
    const written = await render({ blocks: releaseBlocks(page, status), document: { page, status } });
    const [samePage, sameStatus] = [structuredClone(page), structuredClone(status)];
    const again = await render({
      blocks: releaseBlocks(samePage, sameStatus),
      document: { page: samePage, status: sameStatus },
    });
    assert.ok(written.equals(again), ending);
    if (ending !== ".json") assert.is(String(statusIn(String(again))), canonicalJson(status));
  }
  for (const name of ["release.pdf", "release.constructor"]) throws(() => pageForm(name, ""), "USAGE");
});

test("HTML and Markdown say the claim, what changes with request ids, who is missing, and the digests", async () => {
  const page = aReleasePage();
  const status = aPageStatus(page);
  for (const text of [await renderHtml(releaseBlocks(page, status)), renderMarkdown(releaseBlocks(page, status))]) {
    for (const part of [
      page.promise,
      page.basis,
      page.shortlist ?? "",
      "31 are decided differently".replace("31", "31 of 1,204"),
      "request-0030",
      "gift\\_card\\_balance",
      "risk_tier: medium, now high",
      "candidates per request: 8 before, 10 now",
      "Requests edited after their outcome was seen: 2",
      "it asks for a refund",
      "Workflows that texts can be routed to: the first 3 of 49",
      "bo approved. 1 of 2 approvals for production is missing; cy or dee can approve.",
      status.bundle_id,
      status.page_sha256,
    ]) {
      const plain = text.replaceAll("\\", "");
      assert.ok(plain.includes(part.replaceAll("\\", "")), part);
    }
  }
});

test("workflows that are always declined, and a changed promise, are named in every form of the page", () => {
  const page = aReleasePage();
  const status = aPageStatus(page);
  const texts = [releaseText(page, status).join(" "), renderMarkdown(releaseBlocks(page, status))];
  for (const text of texts.map((one) => one.replaceAll(/\s+/gu, " ").replaceAll("\\", ""))) {
    for (const part of [page.always_declined, ...(page.changes?.promises ?? [])])
      assert.ok(text.includes(part ?? "none"), part);
  }
});

test("the annex lists the wrong routes by id, with the right workflow and the one routed to", () => {
  const page = aReleasePage();
  const text = renderMarkdown(releaseBlocks(page, aPageStatus(page)));
  assert.match(text, "Wrong routes of the tested requests: 2");
  assert.match(text.replaceAll("\\", ""), "| line-7 | change_delivery_address | refund |");
});

test("the terminal lists each edited request with its old label, author and edit", () => {
  const page = aReleasePage();
  const lines = releaseText(page, aPageStatus(page));
  const at = lines.indexOf("Requests edited after their outcome was seen: 2");
  assert.equal(lines.slice(at + 1, at + 3), [
    "  line-15: track_order, withdrawn: it asks for a refund, by ann",
    "  retained-df93a0b1c2d3e4f5: (out of scope), held out, then reworded",
  ]);
  const { edited: _none, ...earlier } = page;
  assert.not.match(releaseText(earlier, aPageStatus(earlier)).join("\n"), "withdrawn");
});

test("no value of the release becomes markup", async () => {
  const hostile = '"><script>alert(1)</script>';
  const page = aReleasePage({
    bundle_version: hostile,
    promise: hostile,
    basis: hostile,
    change_note: hostile,
    changes: null,
  });
  const status = aPageStatus(page, { environment: hostile });
  assert.not.match(await renderHtml(releaseBlocks(page, status)), "<script");
  assert.not.match(renderMarkdown(releaseBlocks(page, status)), /(?<!\\)<script/);
});

test("the terminal summary is at most 100 columns wide and about 40 lines long, whatever the page holds", () => {
  const long = "word ".repeat(400);
  const many = Array.from({ length: 200 }, (_, number) => ({
    question: `${number}?`,
    answer: "x".repeat(300),
    concern: true,
  }));
  for (const page of [aReleasePage(), aReleasePage({ promise: long, exact_events: long, questions: many })]) {
    const lines = releaseText(page, aPageStatus(page));
    const widest = Math.max(...lines.map((line) => line.length));
    assert.ok(widest <= summaryWidth, `${widest} columns`);
    assert.ok(lines.length <= 120, `${lines.length} lines`);
  }
  const usual = releaseText(aReleasePage(), aPageStatus(aReleasePage()));
  assert.ok(usual.length <= 55, `${usual.length} lines`);
  const warning = { question: "Warnings?", answer: "a warning of six words here. ".repeat(20), concern: true };
  const warned = aReleasePage({ questions: [warning] });
  assert.not.match(releaseText(warned, aPageStatus(warned)).join("\n"), /^ +\.\.\.$/m);
  const promise = `${"a promise of six words here. ".repeat(20)}The end.`;
  const promised = aReleasePage({ promise, shortlist: promise });
  assert.is(releaseText(promised, aPageStatus(promised)).join("\n").split("The end.").length, 3);
});

test("the one-sentence status says who approved, who is missing, and when that is unknown", () => {
  const status = aPageStatus(aReleasePage());
  const { approvals } = status;
  if (approvals === null) throw new Error("the example has a trust policy");
  const withApprovals = (changed: Partial<typeof approvals>) =>
    statusSentence({ ...status, approvals: { ...approvals, ...changed } });
  assert.is(
    withApprovals({ signed: [], missing: 2 }),
    "Nobody has approved. 2 of 2 approvals for production are missing; cy and dee must approve.",
  );
  assert.match(withApprovals({ can_sign: [] }), "is missing; nobody else can approve.");
  assert.is(withApprovals({ missing: 0, approved: true }), "bo approved. The bundle may serve in production.");
  assert.is(withApprovals({ missing: 0 }), "bo approved, but the bundle must not serve in production.");
  assert.is(withApprovals({ required: null }), "Nobody may approve for production.");
  assert.match(statusSentence({ ...status, approvals: null }), "Without a trust policy");
  const [bo] = approvals.signed;
  if (bo === undefined) throw new Error("bo approved in the example");
  const signed = [bo, { ...bo, person: "cy", derived_from: "scores" as const }];
  assert.is(
    withApprovals({ signed, missing: 0, approved: true }),
    "bo and cy approved; cy reproduced the claim from the scores. The bundle may serve in production.",
  );
  assert.is(
    withApprovals({ missing: 0, missing_reproductions: 1, can_sign: ["bo", "cy"] }),
    "bo approved. 1 reproduction of the claim is missing; bo or cy can approve.",
  );
  const both = "bo approved. 1 of 2 approvals for production is missing, and 1 reproduction of the claim is missing;";
  assert.match(withApprovals({ missing_reproductions: 1 }), both);
});

test("a page made before the claim was reproduced is silent about it, and a later page names the platform", async () => {
  const page = aReleasePage();
  const status = aPageStatus(page);
  const text = renderMarkdown(releaseBlocks(page, status));
  assert.not.match(text, "reproduced the claim");
  const decisions = status.decisions.map((one) => ({ ...one, derived: "reproduced the claim on linux x64" }));
  const stated = { ...status, decisions };
  assert.ok(matchesSchema(PageStatusSchema, stated));
  for (const render of [renderMarkdown, renderHtml]) {
    assert.match(await render(releaseBlocks(page, stated)), "approve, reproduced the claim on linux x64");
  }
  assert.match(releaseText(page, stated).join(" ").replaceAll(/\s+/g, " "), "reproduced the claim on linux x64");
});
