import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "../../src/base/sha256.js";
import { workspaceAt } from "../../store/workspace.js";
import { openHistory } from "../../store/history/open.js";
import { releasePageEvidence, type ReleasePage } from "../../reports/release/release-page.js";
import { storedPage } from "../../release/page/stored-page.js";
import { readManifest } from "../../release/read-signed.js";
import { assert, test, throws } from "../support/test.js";
import { approveAs, approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { signedBy, succeed } from "./support/small-workspace.js";

interface Written {
  readonly page_sha256: string;
  readonly status: string;
}

const twins = ["release.html", "release.md", "release.json"] as const;

async function writeTwins(cwd: string): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const file of twins) written.push(await succeed<Written>(cwd, "report", "release", "--out", file));
  return written;
}

test("the page is signed evidence of the manifest, travels in the bundle, and every twin prints its digest", () =>
  inRelease(async (cwd) => {
    const written = await writeTwins(cwd);
    const [{ page_sha256: digest } = { page_sha256: "" }] = written;
    for (const [index, file] of twins.entries()) {
      assert.is(written[index]?.page_sha256, digest);
      assert.match(await readFile(join(cwd, file), "utf8"), digest);
    }
    assert.match(written[0]?.status ?? "", "2 of 2 approvals for production are missing; bo and cy must approve.");
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const inBundle = await readFile(join(cwd, "sluice-workspace", "bundle", "evidence", releasePageEvidence));
    assert.is(sha256Hex(inBundle), digest);
    const manifest = await readFile(join(cwd, "sluice-workspace", "bundle", "manifest.dsse.json"), "utf8");
    const { payload } = JSON.parse(manifest) as { payload: string };
    assert.match(Buffer.from(payload, "base64").toString("utf8"), `"name":"release-page.json","sha256":"${digest}"`);
  }));

test("approve --page takes each twin, also after somebody else approved, and the approval states its digest", () =>
  inRelease(async (cwd) => {
    const [first] = await writeTwins(cwd);
    const bo = await approveAs(cwd, "bo", "--page", "release.md", "--json");
    assert.is(bo.code, 0, bo.stderr);
    assert.is((JSON.parse(bo.stdout) as { result: Written }).result.page_sha256, first?.page_sha256);
    const again = await approveAs(cwd, "bo", "--page", "release.json", "--renew");
    assert.is(again.code, 0, again.stderr);
    const cy = await approveAs(cwd, "cy", "--page", "release.html");
    assert.is(cy.code, 0, cy.stderr);
    await succeed(cwd, "bundle", "export");
    const approval = await readFile(join(cwd, "sluice-workspace", "bundle", "approvals", "cy.dsse.json"), "utf8");
    const { payload } = JSON.parse(approval) as { payload: string };
    const { predicate } = JSON.parse(Buffer.from(payload, "base64").toString("utf8")) as { predicate: Written };
    assert.is(predicate.page_sha256, first?.page_sha256);
    assert.is((await sluice(["bundle", "verify"], { cwd })).code, 0);
  }));

const forgeries: readonly (readonly [file: string, from: RegExp, to: string, says: RegExp])[] = [
  ["release.html", /at most 70%/, "at most 7%", /line \d+: found ".*at most 7% .*", expected ".*at most 70% /],
  ["release.html", /<\/style>/, "#risks{display:none}</style>", /line \d+: found ".*#risks/],
  ["release.md", /at most 70%/, "at most 7%", /line \d+: found ".*at most 7% /],
  [
    "release.json",
    /at most 70%/,
    "at most 7%",
    /\/page\/claims\/0\/\w+: found ".*at most 7% .*", expected ".*at most 70% /,
  ],
  ["release.json", /$/, "\n", /it is not canonical JSON/],
  ["release.html", /^/, "\ufeff", /byte 1: found a byte order mark \(EF BB BF\), expected none/],
  [
    "release.html",
    /\n/,
    "\r\n",
    /line 1, character \d+: found U\+000D \(carriage return\), expected the end of the line/,
  ],
  ["release.md", /<!-- sluice-status .*/, "", /it contains no approval status/],
];
test("approve --page refuses a page with one change, names the place, and stores nothing", () =>
  inRelease(async (cwd) => {
    for (const [file, from, to, says] of forgeries) {
      await succeed(cwd, "report", "release", "--out", file);
      const page = await readFile(join(cwd, file), "utf8");
      const forged = page.replace(from, to);
      assert.is.not(forged, page);
      await writeFile(join(cwd, file), forged);
      const { code, stderr } = await approveAs(cwd, "bo", "--page", file);
      assert.is(code, 4, stderr);
      assert.match(stderr, "IDENTITY_MISMATCH");
      assert.match(stderr, says);
    }
    const { entries } = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "approval");
    assert.equal(entries, []);
  }));

test("the page of a second release compares it with the one in production; the first page is refused for it", () =>
  inRelease(async (cwd, built) => {
    await succeed(cwd, "report", "release", "--out", "first.html");
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    await succeed(cwd, "calibrate", "fit", "--target", "0.9", "--delta", "0.6");
    await succeed(cwd, "manifest", "create", "--producer", "ann", ...signedBy("ann"));
    const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show");
    const { release, changes } = page;
    assert.is(release, 2);
    if (changes === null) throw new Error("the page compares nothing");
    assert.is(changes.bundle_id, built.bundle);
    assert.match(changes.compared_on, /^Compared on \d+ requests of fold EVAL/);
    assert.equal(
      changes.metrics.map(({ label }) => label),
      [
        "Coverage",
        "In scope, routed right",
        "Out-of-scope routed",
        "Wrong routes among all requests",
        "Selective risk",
      ],
    );
    assert.match(changes.metrics[0]?.difference ?? "", /^[+-]\d+\.\d\d pp \[[+-]\d+\.\d\d pp, [+-]\d+\.\d\d pp\]$/);
    assert.equal(changes.parts, ["calibration"]);
    assert.is(changes.flips?.flips, changes.flips?.listed.length);
    const refused = await approveAs(cwd, "bo", "--page", "first.html");
    assert.is(refused.code, 4);
    assert.match(refused.stderr, `it is about bundle ${built.bundle.slice(0, 12)}, expected`);
  }));

test("a manifest whose evidence names no release page has nothing to approve", () =>
  inRelease(async (cwd) => {
    const history = openHistory(workspaceAt(join(cwd, "sluice-workspace")).history, { readOnly: true });
    try {
      const manifest = readManifest(history);
      const evidence = manifest.predicate.evidence.filter(({ name }) => name !== releasePageEvidence);
      const without = { ...manifest, predicate: { ...manifest.predicate, evidence } };
      const error = throws(() => storedPage(history, without), "RECORD_NOT_FOUND");
      assert.match(error.message, "names no release-page.json");
    } finally {
      history.close();
    }
  }));

test("a page that is no page, and another ending, are refused before anything is signed", () =>
  inRelease(async (cwd) => {
    await writeFile(join(cwd, "notes.html"), "<p>looks fine</p>\n");
    const notes = await approveAs(cwd, "bo", "--page", "notes.html");
    assert.is(notes.code, 4, notes.stderr);
    assert.match(notes.stderr, "not a release page, or only a part of one");
    await writeFile(join(cwd, "release.json"), "not JSON");
    assert.match((await approveAs(cwd, "bo", "--page", "release.json")).stderr, "not a release page: not valid JSON");
    const other = await approveAs(cwd, "bo", "--page", "release.pdf");
    assert.match(other.stderr, "FILE_NOT_FOUND");
    const out = await sluice(["report", "release", "--out", "release.pdf"], { cwd });
    assert.is(out.code, 2);
    assert.match(out.stderr, /expected a file ending in \.html, \.md, \.json/);
  }));
