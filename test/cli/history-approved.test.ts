import { createPrivateKey } from "node:crypto";
import type { Sha256 } from "../../src/base/sha256.js";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nextRevocations, revocationsStatement } from "../../release/signing/statements.js";
import { signStatement, signerFromPrivateKey } from "../../release/signing/sign-statement.js";
import { assert, pluck, test } from "../support/test.js";
import { testRevocations } from "../support/builders-artifacts.js";
import { approveAs, approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { signedBy, succeed } from "./support/small-workspace.js";

interface ApprovedBundle {
  readonly bundle_id: string;
  readonly approved: boolean;
  readonly approvers: readonly string[];
  readonly revocations: readonly {
    readonly kind: string;
    readonly revoker: string;
    readonly reason: string;
    readonly revoked_at: string;
    readonly entry: number | null;
  }[];
  readonly decisions: readonly {
    readonly at: string;
    readonly record: string;
    readonly decision: string;
    readonly approver: string;
    readonly gate_override: string | null;
    readonly reason: string;
    readonly expires: string;
  }[];
  readonly evidence: readonly { readonly name: string; readonly sha256: string }[];
  readonly problems: readonly string[];
}

/** The answer of the history; nothing but its bundles. */
async function approvedFor(cwd: string, ...more: readonly string[]): Promise<readonly ApprovedBundle[]> {
  const answer = await succeed<{ bundles: ApprovedBundle[] }>(cwd, "history", "log", "--approved-for", ...more);
  return answer.bundles;
}

test("the history answers what is approved, by whom and with which evidence", () =>
  inRelease(async (cwd, built) => {
    await approveAs(cwd, "bo", "--reason", "read it");
    const [half] = await approvedFor(cwd, "production");
    assert.equal([half?.approved, half?.approvers], [false, ["bo"]]);
    assert.match(half?.problems.join() ?? "", "1 of 2 required approvals");

    await approveAs(cwd, "cy");
    const [whole] = await approvedFor(cwd, "production");
    assert.equal([whole?.bundle_id, whole?.approved, whole?.problems], [built.bundle, true, []]);
    assert.equal(whole?.approvers, ["bo", "cy"]);
    const decisions = whole?.decisions.map(({ decision, approver, reason }) => [decision, approver, reason]);
    assert.equal(decisions, [
      ["approve", "bo", "read it"],
      ["approve", "cy", ""],
    ]);
    assert.ok((whole?.evidence.length ?? 0) > 0);
  }));

test("the history answers only for the requested environment and day, and a rejection counts", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    assert.equal(await approvedFor(cwd, "staging"), []);
    assert.equal(await approvedFor(cwd, "production", "--on", "2020-01-01"), []);
    const [now] = await approvedFor(cwd, "production");
    const expires = now?.decisions[0]?.expires ?? "";
    const dayAfter = new Date(Date.parse(expires) + 86_400_000).toISOString().slice(0, 10);
    const [later] = await approvedFor(cwd, "production", "--on", dayAfter);
    assert.is(later?.approved, false);
    assert.match(later?.problems.join() ?? "", "expired at");

    await sluice(["reject", "--approver", "cy", ...signedBy("cy"), "--yes", "--reason", "recalled"], { cwd });
    const { stdout } = await sluice(["history", "log", "--approved-for", "production"], { cwd });
    assert.match(stdout, "0 bundles were approved for production at ");
    assert.match(stdout, '"recalled"');
  }));

/** The answer about the only bundle. */
async function theBundle(cwd: string, ...more: readonly string[]): Promise<ApprovedBundle> {
  const [only, ...others] = await approvedFor(cwd, "production", ...more);
  if (only === undefined || others.length > 0) return assert.unreachable("expected one bundle") as never;
  return only;
}

test("the history shows who revoked what and when, even without the list file", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    const approved = await theBundle(cwd);
    assert.equal([approved.approved, approved.revocations], [true, []]);
    const revoke = ["revoke", "--bundle", built.bundle, "--revoker", "cy", ...signedBy("cy"), "--reason", "mistake"];
    const { entry, added } = await succeed<{ entry: number; added: { revoked_at: string }[] }>(cwd, ...revoke);
    const after = await theBundle(cwd);
    assert.is(after.approved, false);
    assert.match(after.problems.join(), `bundle ${built.bundle} is revoked`);
    assert.equal(
      after.revocations.map(({ kind, revoker, reason, revoked_at, entry: seq }) => [
        kind,
        revoker,
        reason,
        revoked_at,
        seq,
      ]),
      [["bundle", "cy", "mistake", added.map(({ revoked_at }) => revoked_at).join(), entry]],
    );
    await rm(join(cwd, "sluice-workspace", "revocations.json"));
    const { stdout } = await sluice(["history", "log", "--approved-for", "production"], { cwd });
    assert.match(stdout, /revoked +bundle [0-9a-f]{12} by cy at .*, entry \d+, "mistake"/);
    await succeed(cwd, "history", "verify");
  }));

test("the answer for a time before the revocation is unchanged", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    const { decisions } = await theBundle(cwd);
    const approvedAt = decisions.map(({ at }) => at).at(-1) ?? "";
    const day = new Date(Date.parse(approvedAt) + 86_400_000).toISOString().slice(0, 10);
    const bytes = await readFile(join(cwd, "sluice-workspace", "keys", "cy.pem"), "utf8");
    const signer = signerFromPrivateKey(createPrivateKey({ key: bytes, passphrase: "secret of cy" }), "cy");
    const predicate = nextRevocations([], {
      revoker: "cy",
      issuedAt: `${day}T12:00:00Z`,
      nextUpdate: `${day}T13:00:00Z`,
      add: [{ kind: "bundle", sha256: built.bundle as Sha256, reason: "later" }],
    });
    const { envelopeBytes } = await signStatement(revocationsStatement(predicate), signer);
    await writeFile(join(cwd, "later.json"), envelopeBytes);
    const question = ["--revocations", "later.json", "--on"];
    assert.is((await theBundle(cwd, ...question, approvedAt)).approved, true);
    assert.is((await theBundle(cwd, ...question, `${day}T11:59:59Z`)).approved, true);
    const { approved, revocations } = await theBundle(cwd, ...question, `${day}T12:00:00Z`);
    assert.equal([approved, revocations.map(({ entry }) => entry)], [false, [null]]);
  }));

test("a revoked approval and a revoked key each remove one person from the list", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    const { decisions } = await theBundle(cwd);
    const record = decisions.map((decision) => decision.record)[0] ?? "";
    await succeed(cwd, "revoke", "--approval", record, "--revoker", "cy", ...signedBy("cy"));
    const half = await theBundle(cwd);
    assert.equal([half.approved, half.approvers], [false, ["cy"]]);
    assert.equal(pluck(half.revocations, "kind"), ["approval"]);
    const publicKey = join("sluice-workspace", "keys", "cy.pub.pem");
    const { key_id } = await succeed<{ key_id: string }>(cwd, "key", "show", publicKey);
    await succeed(cwd, "revoke", "--key-id", key_id, "--revoker", "bo", ...signedBy("bo"));
    const none = await theBundle(cwd);
    assert.equal([none.approvers, none.revocations.map(({ kind }) => kind)], [[], ["approval", "key"]]);
  }));

/** Fits thresholds that the unseen workflows of this dataset do not bear out, and signs a manifest of them. */
async function signFailing(cwd: string): Promise<readonly string[]> {
  await succeed(cwd, "calibrate", "fit", "--claim", "fixed-catalog", "--target", "0.22", "--delta", "0.99");
  await succeed(cwd, "manifest", "create", "--producer", "ann", ...signedBy("ann"));
  const { page } = await succeed<{ page: { failed_gates: string[] } }>(cwd, "manifest", "show");
  assert.is(page.failed_gates.length, 1, "the dataset no longer has a tier that misses this target");
  return page.failed_gates;
}

test("a failed gate is shown, and nothing is signed without the approver's override", () =>
  inRelease(async (cwd) => {
    const [gate = ""] = await signFailing(cwd);
    const refused = await approveAs(cwd, "bo");
    assert.is(refused.code, 3);
    assert.ok(refused.stderr.includes(`GATE_NOT_MET: 1 gate is not met: ${gate}`), refused.stderr);
    assert.match(refused.stderr, /^Gates\n {2}(fail|NOT SHOWN): /mu);
    assert.match(refused.stderr, /^Measured on held-out requests of this catalog$/m);
    assert.ok(refused.stderr.replaceAll(/\s+/g, " ").includes(` needs --override-gates: ${gate} `), refused.stderr);
    assert.equal(await approvedFor(cwd, "production"), []);
    const withoutPassphrase = await sluice(["approve", "--approver", "bo", "--yes"], { cwd });
    assert.match(withoutPassphrase.stderr, "GATE_NOT_MET", "the gates are checked before a passphrase is asked for");
    await succeed(cwd, "approve", "--approver", "bo", ...signedBy("bo"), "--yes", "--override-gates", "trial week");
    assert.is((await approveAs(cwd, "cy")).code, 3);
    assert.is(
      (await sluice(["reject", "--approver", "cy", ...signedBy("cy"), "--yes", "--reason", "unclear"], { cwd })).code,
      0,
    );
  }));

test("an override names its person and reason: to the next approver, in the history and in the signed bytes", () =>
  inRelease(async (cwd) => {
    await signFailing(cwd);
    await succeed(cwd, "approve", "--approver", "bo", ...signedBy("bo"), "--yes", "--override-gates", "trial week");
    const second = await approveAs(cwd, "cy", "--override-gates", "agreed with bo");
    assert.is(second.code, 0, second.stderr);
    assert.match(second.stderr, /approved for production by bo, .*, overrides failed gates: "trial week"\n/);
    const { decisions, approved } = await theBundle(cwd);
    assert.ok(approved);
    assert.equal(
      decisions.map(({ approver, gate_override }) => [approver, gate_override]),
      [
        ["bo", "trial week"],
        ["cy", "agreed with bo"],
      ],
    );
    await succeed(cwd, "bundle", "export");
    const file = await readFile(join(cwd, "sluice-workspace", "bundle", "approvals", "bo.dsse.json"), "utf8");
    const { payload } = JSON.parse(file) as { payload: string };
    assert.match(Buffer.from(payload, "base64").toString("utf8"), '"gate_override":"trial week"');
  }));

test("an override where no gate failed is not recorded", () =>
  inRelease(async (cwd) => {
    assert.is((await approveAs(cwd, "bo", "--override-gates", "to be safe")).code, 0);
    const { decisions } = await theBundle(cwd);
    assert.equal(pluck(decisions, "gate_override"), [null]);
  }));

test("trust policies are entries of the history, and a list of somebody else counts for nothing", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    const { entries } = await succeed<{ entries: { kind: string; actor: string }[] }>(
      cwd,
      "history",
      "log",
      "--kind",
      "trust",
    );
    assert.is(entries.length, 1);
    await writeFile(
      join(cwd, "forged.json"),
      await testRevocations([{ kind: "bundle", sha256: built.bundle as Sha256 }]),
    );
    const forged = await sluice(["history", "log", "--approved-for", "production", "--revocations", "forged.json"], {
      cwd,
    });
    assert.match(forged.stdout, "1 bundle was approved for production");
    assert.match(forged.stderr, "warning  not taken into account: SIGNATURE_INVALID");
  }));
