import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createKeyFile } from "../../workbench/signing/key-file.js";
import { openHistory } from "../../workbench/history/open.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { inTemporaryFolder, writeTestBundle } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

const test = suite("cli/revoke");

/** Three people with keys and a policy in the default workspace; the passphrase of each is in `pass`. */
async function withPeople(run: (cwd: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (cwd) => {
    const keys = join(cwd, "sluice-workspace", "keys");
    await mkdir(keys, { recursive: true });
    writeFileSync(join(cwd, "pass"), "secret\n");
    for (const person of ["ann", "bo", "cy"]) await createKeyFile(join(keys, `${person}.pem`), "secret", 1);
    await createTrust(cwd, "1", ["--out", "sluice-workspace/trust.json"]);
    await run(cwd);
  });
}

function createTrust(cwd: string, version: string, more: readonly string[]): Promise<unknown> {
  const principals = ["ann", "bo", "cy"].flatMap((name) => [
    "--principal",
    `${name}=sluice-workspace/keys/${name}.pub.pem`,
  ]);
  const roles = ["--producer", "ann", "--approver", "bo", "--approver", "cy", "--policy-version", version];
  return succeed(cwd, "trust", "create", ...principals, ...roles, "--expires", "365d", ...more);
}

const signed = (person: string) => ["--key", person, "--passphrase-file", "pass"];
const revokeAs = (person: string) => ["revoke", "--revoker", person, ...signed(person)];

interface RevokeResult {
  readonly sequence: number;
  readonly total: number;
  readonly added: readonly { readonly kind: string; readonly sha256: string; readonly reason: string }[];
}

test("lists are numbered, retain their entries, and are renewed without an argument", () =>
  withPeople(async (cwd) => {
    const first = await succeed<RevokeResult>(cwd, ...revokeAs("bo"), "--bundle", "a".repeat(64), "--reason", "wrong");
    assert.equal([first.sequence, first.total, first.added[0]?.reason], [1, 1, "wrong"]);
    const second = await succeed<RevokeResult>(cwd, ...revokeAs("cy"), "--key-id", "b".repeat(64));
    assert.equal([second.sequence, second.total, second.added[0]?.kind], [2, 2, "key"]);
    const third = await succeed<RevokeResult>(cwd, ...revokeAs("cy"));
    assert.equal([third.sequence, third.total, third.added.length], [3, 2, 0]);
  }));

test("somebody who is no revoker revokes nothing", () =>
  withPeople(async (cwd) => {
    const { code, stderr } = await sluice([...revokeAs("ann"), "--artifact", "a".repeat(64)], { cwd });
    assert.is(code, 4, stderr);
    assert.match(stderr, "ROLE_MISMATCH");
    assert.throws(() => readFileSync(join(cwd, "sluice-workspace", "revocations.json")));
  }));

test("a list that was changed by hand is not continued", () =>
  withPeople(async (cwd) => {
    await succeed(cwd, ...revokeAs("bo"), "--bundle", "a".repeat(64));
    const file = join(cwd, "sluice-workspace", "revocations.json");
    const envelope = JSON.parse(readFileSync(file, "utf8")) as { payload: string };
    const payload = Buffer.from(envelope.payload, "base64").toString("utf8").replaceAll("a".repeat(64), "c".repeat(64));
    writeFileSync(file, canonicalBytes({ ...envelope, payload: Buffer.from(payload).toString("base64") }));
    const { code, stderr } = await sluice(revokeAs("bo"), { cwd });
    assert.is(code, 4);
    assert.match(stderr, "SIGNATURE_INVALID");
  }));

test("lists and policies are entries of a history that is there; one that cannot be written is a warning only", () =>
  withPeople(async (cwd) => {
    const path = join(cwd, "sluice-workspace", "history.db");
    const without = await succeed<{ entry: number | null }>(cwd, ...revokeAs("bo"));
    assert.is(without.entry, null);
    openHistory(path, { create: true }).close();
    assert.is((await succeed<{ entry: number | null }>(cwd, ...revokeAs("bo"))).entry, 1);
    await createTrust(cwd, "2", ["--out", "next.json"]);
    await succeed(cwd, "trust", "sign", "next.json", ...signed("bo"));
    await succeed(cwd, "trust", "sign", "next.json.dsse.json", ...signed("cy"));
    await succeed(cwd, "trust", "update", "next.json.dsse.json");
    const { entries } = await succeed<{ entries: { kind: string; actor: string }[] }>(cwd, "history", "log");
    assert.equal(
      entries.map(({ kind, actor }) => [kind, actor]),
      [
        ["revocation", "bo"],
        ["trust", "tester"],
        ["trust", "tester"],
      ],
    );
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, "no database, and long enough for a header of one".repeat(50));
    const { code, stderr } = await sluice([...revokeAs("bo"), "--bundle", "d".repeat(64)], { cwd });
    assert.is(code, 0, stderr);
    assert.match(stderr, "warning  done, but not recorded in the history: DB_NOT_OURS");
  }));

test("case 66: a bundle that does not verify ends with 4 and without a word of success", () =>
  withPeople(async (cwd) => {
    await writeTestBundle(join(cwd, "sluice-workspace", "bundle"));
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr } = await sluice(["bundle", "verify", ...more], { cwd });
      assert.is(code, 4);
      assert.not.match(`${stdout}${stderr}`, /\b(OK|approved for|verdict|valid until)\b/);
    }
  }));

test("a policy is followed by the next one when its roots signed it, and never by an older one", () =>
  withPeople(async (cwd) => {
    await createTrust(cwd, "2", ["--out", "next.json"]);
    await succeed(cwd, "trust", "sign", "next.json", ...signed("bo"));
    const early = await sluice(["trust", "update", "next.json.dsse.json"], { cwd });
    assert.is(early.code, 4);
    assert.match(early.stderr, "TRUST_THRESHOLD");
    await succeed(cwd, "trust", "sign", "next.json.dsse.json", ...signed("cy"));
    assert.equal((await succeed<{ to: number }>(cwd, "trust", "update", "next.json.dsse.json")).to, 2);
    const shown = await succeed<{ policy: { version: number } }>(cwd, "trust", "show");
    assert.is(shown.policy.version, 2);
    const again = await sluice(["trust", "update", "next.json.dsse.json"], { cwd });
    assert.is(again.code, 4);
    assert.match(again.stderr, "TRUST_ROLLBACK");
  }));

test.run();
