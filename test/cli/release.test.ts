import { existsSync, statSync } from "node:fs";
import { readdir, rename, rm, stat, writeFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "../../cli/run-cli.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { defaultPolicy } from "../../src/documents/policy.js";
import { assert, test } from "../support/test.js";
import { approveAs, approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { fitLexical, signedBy, succeed } from "./support/small-workspace.js";
import { testWorld } from "./support/test-world.js";

const bundleExists = (cwd: string): Promise<boolean> =>
  stat(join(cwd, "sluice-workspace", "bundle")).then(
    () => true,
    () => false,
  );

/** Runs in this process at a terminal where a person answers; returns what was asked. */
async function atTerminal(cwd: string, args: readonly string[], answer: (prompt: string) => string) {
  const asked: string[] = [];
  const world = testWorld({
    clock: () => statSync(join(cwd, "sluice-workspace", "trust.json")).mtimeMs,
    askSecret: async (prompt) => {
      asked.push(prompt);
      return answer(prompt);
    },
  });
  const code = await runCli([...args, "--workspace", join(cwd, "sluice-workspace")], world);
  return { code, asked, ...world.written };
}

test("two approvals of two people make a bundle that exports and verifies", () =>
  inRelease(async (cwd, built) => {
    const first = await approveAs(cwd, "bo");
    assert.is(first.code, 0, first.stderr);
    assert.match(first.stderr, "Promised\n");
    assert.match(first.stderr, /page {4}[0-9a-f]{64}\n/);
    assert.match(first.stdout, /approved {2}by bo for production, for 30 days\n/);
    assert.is((await approveAs(cwd, "cy")).code, 0);

    const exported = await succeed<{ approvals: string[]; files: number }>(cwd, "bundle", "export");
    assert.equal(exported.approvals, ["bo", "cy"]);
    const verified = await succeed<{ bundle_id: string; producer: string }>(cwd, "bundle", "verify");
    assert.is(verified.bundle_id, built.bundle);
    assert.is(verified.producer, "ann");

    const again = await sluice(["bundle", "export"], { cwd });
    assert.is(again.code, 2);
    assert.match(again.stderr, /FILE_EXISTS.*\nhint .*add --replace\.\n/s);
    const renewed = await approveAs(cwd, "bo", "--renew");
    assert.match(`${renewed.stdout}${renewed.stderr}`, /sluice bundle export --bundle [0-9a-f]+ --replace$/m);
    assert.is((await sluice(["bundle", "export", "--replace"], { cwd })).code, 0);
  }));

test("an export is what the next manifest supersedes, with the next number", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const next = await succeed<{ release: number; supersedes: string | null }>(
      cwd,
      "manifest",
      "create",
      "--producer",
      "ann",
      ...signedBy("ann"),
    );
    assert.equal([next.release, next.supersedes], [2, built.bundle]);
    const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show");
    assert.equal([page.changes?.bundle_id, page.changes?.release], [built.bundle, 1]);
    assert.ok(page.changes?.metrics.every(({ before, now }) => before === now));
    assert.is(page.changes?.flips?.flips, 0);
    assert.equal(page.changes?.parts, []);
    assert.equal(page.failed_gates, []);
  }));

test("a catalog that changed under a released version is not signed", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const catalog = join(cwd, "catalog.yaml");
    await writeFile(catalog, `${await readFile(catalog, "utf8")}\n`);
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    await succeed(cwd, "dataset", "split");
    await succeed(cwd, "dataset", "audit", "--accept", "a part of invented data", "--actor", "ann");
    await succeed(cwd, "eval", "run");
    await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    const { code, stderr } = await sluice(["manifest", "create", "--producer", "ann", ...signedBy("ann")], { cwd });
    assert.is(code, 2);
    assert.match(stderr, /CATALOG_INVALID: catalog_version \S+: release 1 already uses it for a different catalog/);
  }));

test("the exact-event setting is in the page that is signed, and a difference is among the changes", () =>
  inRelease(async (cwd) => {
    type Shown = { readonly page: ReleasePage };
    assert.is((await succeed<Shown>(cwd, "manifest", "show")).page.exact_events, "off");
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const exact_events = { enabled: true, allowed_tiers: ["low", "high"], abstaining_tiers: ["low"] };
    await writeFile(join(cwd, "policy.json"), JSON.stringify({ ...defaultPolicy, exact_events }));
    await succeed(cwd, "eval", "run", "--policy", "policy.json");
    await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    await succeed(cwd, "manifest", "create", "--producer", "ann", ...signedBy("ann"));
    const setting = "on, routes to tiers low, high .*, to low even where the calibration abstains; needs --allow-";
    const { page } = await succeed<Shown>(cwd, "manifest", "show");
    assert.match(page.exact_events, new RegExp(`^${setting}`, "u"));
    assert.match(page.changes?.events.join("\n") ?? "", /low, high/u);
    const shown = (await approveAs(cwd, "bo")).stderr.replace(/\s+/g, " ");
    assert.match(shown, new RegExp(`exact events ${setting}`, "u"));
  }));

test("one approver is 1 of 2: exit code 4, and no bundle is written", () =>
  inRelease(async (cwd) => {
    await approveAs(cwd, "bo");
    await approveAs(cwd, "bo", "--reason", "again", "--renew");
    const { code, stderr } = await sluice(["bundle", "export"], { cwd });
    assert.is(code, 4);
    assert.match(
      stderr,
      "THRESHOLD_NOT_MET: sluice-workspace/bundle: 1 of 2 required approvals (bo); missing: 1; can still sign: cy\n",
    );
    assert.match(stderr, "hint     Nothing was written. Approvers run: sluice approve");
    assert.not.ok(await bundleExists(cwd));
    const left = (await readdir(join(cwd, "sluice-workspace"))).filter((name) => /staging|trial/.test(name));
    assert.equal(left, []);
  }));

test("a dataset without an audit, or with a failed one, is not signed; an override is shown to the approver", () =>
  inRelease(async (cwd) => {
    const shown = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show");
    const audit = shown.page.questions.find(({ question }) => question.includes("audit"))?.answer ?? "";
    assert.match(
      audit,
      /^Yes: .*requests that seem to contain personal data: \d+.*\. Accepted by ann: a part of invented data\.$/,
    );

    await succeed(cwd, "dataset", "split", "--seed", "2");
    await fitLexical(cwd);
    await succeed(cwd, "eval", "run");
    await succeed(cwd, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    const signing = ["manifest", "create", "--producer", "ann", ...signedBy("ann")];
    const unaudited = await sluice(signing, { cwd });
    assert.is(unaudited.code, 3);
    assert.match(unaudited.stderr, /GATE_NOT_MET: dataset [0-9a-f]{12} with split [0-9a-f]{12} has no audit\n/);
    assert.match(unaudited.stderr, /hint {5}Run: sluice dataset audit --split [0-9a-f]{12}/);
    assert.is((await sluice(["dataset", "audit"], { cwd })).code, 3);
    assert.match((await sluice(signing, { cwd })).stderr, /GATE_NOT_MET: .* failed its audit: .*personal_data/);
    await succeed(cwd, "dataset", "audit", "--accept", "known", "--actor", "bo");
    assert.is((await sluice(signing, { cwd })).code, 0);
  }));

interface Shown {
  readonly decisions: readonly { readonly approver: string; readonly counts: boolean | null }[];
  readonly status: { readonly signed: readonly { readonly person: string }[]; readonly can_sign: readonly string[] };
}

const notCounting: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["the producer", ["--approver", "ann", ...signedBy("ann")], /"ann" produced the bundle and cannot approve it/],
  ["a wrong key", ["--approver", "bo", ...signedBy("cy")], /the trust policy does not list this key for "bo"/],
  ["a person outside of the policy", ["--approver", "eve", ...signedBy("cy")], /"eve" is not a person in the trust/],
  ["another environment", ["--approver", "bo", ...signedBy("bo"), "--environment", "lab"], /no approvers for .*"lab"/],
  ["too many days", ["--approver", "bo", ...signedBy("bo"), "--days", "91"], /valid for more than 90 days/],
];
for (const [name, args, says] of notCounting) {
  for (const verb of name === "too many days" ? ["approve"] : ["approve", "reject"]) {
    test(`${verb}: ${name} is refused with a specific code, and nothing is stored`, () =>
      inRelease(async (cwd) => {
        const { code, stderr } = await sluice([verb, ...args, "--reason", "unclear", "--yes"], { cwd });
        assert.is(code, 4, stderr);
        assert.match(
          stderr,
          /APPROVAL_NOT_COUNTED: nothing was signed, because this (approval|rejection) by "\w+" would/,
        );
        assert.match(stderr, says);
        const log = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "approval");
        assert.equal(log.entries, []);
        if (name === "another environment") return;
        assert.match(stderr, /0 of 2 required approvals; missing: 2; can still sign: bo, cy/);
        assert.match(
          stderr,
          name === "too many days" ? /hint +Use --days 90 or fewer\.$/m : /hint +Ask bo or cy to approve it\.$/m,
        );
      }));
  }
}

test("the same person again is refused, and --renew signs all the same", () =>
  inRelease(async (cwd) => {
    const first = await approveAs(cwd, "bo");
    assert.match(
      first.stdout,
      /approvals +environment production, .*1 of 2 required approvals \(bo\); missing: 1; .*: cy/,
    );
    const again = await approveAs(cwd, "bo");
    assert.is(again.code, 4);
    assert.match(again.stderr, /"bo" has approved already \(1 of 2 .*can still sign: cy/);
    const shorter = await approveAs(cwd, "bo", "--renew", "--days", "1");
    assert.is(shorter.code, 4);
    assert.match(shorter.stderr, /it ends \S+, and an approval by "bo" already counts until \S+ \(/);
    assert.match(shorter.stderr, "To extend an approval: --renew with more --days");
    assert.is((await approveAs(cwd, "bo", "--renew", "--days", "40")).code, 0);
    const { decisions, status } = await succeed<Shown>(cwd, "manifest", "show");
    assert.equal(
      decisions.map(({ approver, counts }) => [approver, counts]),
      [
        ["bo", false],
        ["bo", true],
      ],
    );
    assert.equal(status.signed.length, 1);
    assert.equal(status.can_sign, ["cy"]);
  }));

test("a revoked bundle is not approved again, before anybody types a passphrase, nor exported", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    const { bundle_id: bundle } = await succeed<Shown & { bundle_id: string }>(cwd, "manifest", "show");
    await succeed(cwd, "bundle", "export");
    await succeed(
      cwd,
      "revoke",
      "--bundle",
      bundle,
      "--revoker",
      "bo",
      "--reason",
      "refunds to sales",
      ...signedBy("bo"),
    );
    const renewed = await sluice(["approve", "--approver", "cy", "--key", "cy", "--renew", "--yes"], { cwd });
    assert.is(renewed.code, 4, renewed.stderr);
    assert.match(
      renewed.stderr,
      new RegExp(
        `APPROVAL_NOT_COUNTED: .*nothing was signed, .*bundle ${bundle} is revoked \\(refunds to sales\\), so it never serves again$`,
        "m",
      ),
    );
    assert.match(renewed.stderr, "hint     Release another bundle.");
    const exported = await sluice(["bundle", "export", "--replace"], { cwd });
    assert.is(exported.code, 4);
    assert.match(exported.stderr, /REVOKED: [\s\S]*export an earlier one with --bundle/);
    await succeed(cwd, "calibrate", "fit", "--target", "0.6", "--delta", "0.5");
    await succeed(cwd, "manifest", "create", "--producer", "ann", ...signedBy("ann"));
    const { page } = await succeed<{ page: ReleasePage }>(cwd, "manifest", "show");
    const asked = page.questions.find(({ question }) => question === "Was the release before this one revoked?");
    assert.match(asked?.answer ?? "", /^Yes, release 1: refunds to sales\. It serves nowhere/);
  }));

test("a decision that does not count is marked for the next approver, with the reason", () =>
  inRelease(async (cwd) => {
    await approveAs(cwd, "bo");
    const trust = join(cwd, "sluice-workspace", "trust.json");
    await rm(trust);
    const keys = ["ann", "cy"].flatMap((name) => ["--principal", `${name}=sluice-workspace/keys/${name}.pub.pem`]);
    const roles = ["--producer", "ann", "--approver", "cy", "--threshold", "1", "--expires", "90d"];
    await succeed(cwd, "trust", "create", ...keys, ...roles);
    const shown = await sluice(["manifest", "show"], { cwd });
    const words = shown.stdout.replace(/\s+/g, " ");
    assert.match(words, /approved for production by bo, .*; DOES NOT COUNT: SIGNATURE_INVALID: entry \d+: /);
    assert.match(words, "Nobody has approved. 1 of 1 approval for production is missing; cy can approve.");
    await rm(trust);
    const unknown = await sluice(["manifest", "show"], { cwd });
    assert.is(unknown.code, 0, unknown.stderr);
    assert.match(unknown.stdout, "Without a trust policy, it is unknown whose approvals count.");
  }));

test("a rejection stops an approved bundle, and an existing export is unchanged", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export");
    const recall = ["reject", "--approver", "cy", ...signedBy("cy"), "--yes", "--reason", "recalled"];
    const rejected = await sluice(recall, { cwd });
    assert.is(rejected.code, 0, rejected.stderr);
    assert.match(rejected.stdout, /^approvals .*: rejected by cy \(recalled\); \d of 2 required approvals/m);
    const { code, stderr } = await sluice(["bundle", "export", "--replace"], { cwd });
    assert.is(code, 4);
    assert.match(stderr, "REJECTED_BY_APPROVER");
    assert.match(
      stderr,
      /^hint .*Read the reason: sluice manifest show --bundle [0-9a-f]+\. Then release a new bundle\.$/m,
    );
    const { stdout: words } = await sluice(["manifest", "show"], { cwd });
    assert.match(words, "cy rejected the bundle (recalled). It must not serve in production.");
    assert.is((await sluice(["bundle", "verify"], { cwd })).code, 0);
  }));

test("a wrong passphrase ends with 4, and nothing is signed", () =>
  inRelease(async (cwd) => {
    const options = ["--key", "bo", "--passphrase-file", "cy.pass", "--yes"];
    const { code, stderr } = await sluice(["approve", "--approver", "bo", ...options], { cwd });
    assert.is(code, 4);
    assert.match(stderr, "PASSPHRASE_WRONG");
    assert.not.match(stderr, "secret of");
    const log = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "approval");
    assert.equal(log.entries, []);
  }));

test("a missing key file is reported before any prompt", () =>
  inRelease(async (cwd) => {
    const missing = ["--key", join(cwd, "nobody.pem")];
    for (const command of [
      ["approve", "--approver", "bo", ...missing],
      ["manifest", "create", "--producer", "ann", ...missing],
    ]) {
      const { code, asked, stderr } = await atTerminal(cwd, command, () => "x");
      assert.is(code, 2);
      assert.match(stderr, /FILE_NOT_FOUND: .*nobody\.pem: no such key file/);
      assert.equal(asked, []);
    }
  }));

test("at a terminal the page is shown, and the bundle id confirms it, also with --json", () =>
  inRelease(async (cwd, built) => {
    const args = ["approve", "--approver", "bo", "--key", "bo"];
    const wrong = await atTerminal(cwd, args, () => "yes");
    assert.is(wrong.code, 2);
    assert.match(wrong.stderr, "nothing was signed");
    assert.is(wrong.asked.length, 1);

    const start = built.bundle.slice(0, 8);
    const right = await atTerminal(cwd, [...args, "--json"], (prompt) =>
      prompt.includes("To sign") ? start : "secret of bo",
    );
    assert.is(right.code, 0, right.stderr);
    assert.match(right.asked[0] ?? "", "Measured on unseen workflows");
    assert.match(right.asked[1] ?? "", "Passphrase of");
  }));

test("without a terminal a decision needs --yes, and a rejection a reason", () =>
  inRelease(async (cwd, built) => {
    const words = ["reject", "--approver", "bo", ...signedBy("bo")];
    const unexplained = await sluice([...words, "--yes"], { cwd });
    assert.is(unexplained.code, 2);
    assert.match(unexplained.stderr, "--reason");
    const blank = await sluice([...words, "--yes", "--reason", " "], { cwd });
    assert.match(blank.stderr, /^hint +State what must change; the reason is signed and shown to the producer\.$/m);
    const { code, stderr } = await sluice([...words, "--reason", "unclear"], { cwd });
    assert.is(code, 2);
    assert.match(
      stderr,
      `hint     Read it with: sluice manifest show --bundle ${built.bundle.slice(0, 12)}; then add --yes`,
    );
  }));

test("an approval carries the digest that manifest show prints, and another digest is refused", () =>
  inRelease(async (cwd, built) => {
    const shown = await succeed<{ manifest: string; page_sha256: string; bundle_id: string }>(cwd, "manifest", "show");
    assert.is(shown.manifest, built.manifest);
    assert.is(shown.bundle_id, built.bundle);
    const other = await approveAs(cwd, "bo", "--page-digest", "0".repeat(64));
    assert.is(other.code, 4);
    assert.match(other.stderr, "IDENTITY_MISMATCH");
    const approved = await approveAs(cwd, "bo", "--page-digest", shown.page_sha256, "--json");
    const { result } = JSON.parse(approved.stdout) as { result: { page_sha256: string } };
    assert.is(result.page_sha256, shown.page_sha256);
  }));

test("an export finds the folder that a killed export had moved away, and says what it did", () =>
  inRelease(async (cwd) => {
    await approveAs(cwd, "bo");
    await approveAs(cwd, "cy");
    await succeed(cwd, "bundle", "export", "--out", "served");
    const old = join(cwd, ".served.staging-0123456789ab.old");
    await rename(join(cwd, "served"), old);
    const lost = await sluice(["bundle", "verify", "served"], { cwd });
    assert.is(lost.code, 2);
    assert.match(lost.stderr, /FILE_NOT_FOUND: .*\.served\.staging-0123456789ab\.old\nhint +Restore it: mv /u);

    const kept = await sluice(["bundle", "export", "--out", "served"], { cwd });
    assert.is(kept.code, 2);
    assert.match(kept.stderr, "FILE_EXISTS");
    assert.is((await sluice(["bundle", "verify", "served"], { cwd })).code, 0);

    await rename(join(cwd, "served"), old);
    const { code, stderr } = await sluice(["bundle", "export", "--out", "served", "--replace"], { cwd });
    assert.is(code, 0, stderr);
    assert.match(stderr, /^warning +served was missing because an interrupted export had moved it\./mu);
    assert.not(existsSync(old));
  }));

test("an export without a trust policy says how to write one", () =>
  inRelease(async (cwd) => {
    await rm(join(cwd, "sluice-workspace", "trust.json"));
    const { code, stderr } = await sluice(["bundle", "export"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "hint     In a project: sluice run --release. Otherwise: sluice trust create");
  }));
