import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createKeyFile } from "../../release/signing/key-file.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { writeTestBundle } from "../support/builders-artifacts.js";
import { programs } from "../support/run-program.js";
import { sluice, sluiceProgram } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

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
  readonly entry: number;
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

test("lists and policies are entries of the history, and a history that cannot be written is an error", () =>
  withPeople(async (cwd) => {
    const path = join(cwd, "sluice-workspace", "history.db");
    const file = join(cwd, "sluice-workspace", "revocations.json");
    assert.is((await succeed<RevokeResult>(cwd, ...revokeAs("bo"))).entry, 1);
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
    const before = readFileSync(file);
    const { code, stderr } = await sluice([...revokeAs("bo"), "--bundle", "d".repeat(64)], { cwd });
    assert.is(code, 4, stderr);
    assert.match(stderr, "DB_NOT_OURS");
    assert.ok(readFileSync(file).equals(before));
  }));

const bundleId = (index: number): string => index.toString(16).padStart(64, "0");

interface List {
  readonly sequence: number;
  readonly revoked: readonly { readonly sha256: string }[];
}

function listOf(cwd: string): List {
  const envelope = JSON.parse(readFileSync(join(cwd, "sluice-workspace", "revocations.json"), "utf8")) as {
    payload: string;
  };
  const statement = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8")) as { predicate: List };
  return statement.predicate;
}

test("eight processes revoke at once, others are killed: every acknowledged revocation is in the list", () =>
  withPeople(async (cwd) => {
    const args = (index: number) => [...revokeAs(index % 2 === 0 ? "bo" : "cy"), "--bundle", bundleId(index)];
    const victims = Array.from({ length: 3 }, (_, index) =>
      spawn(process.execPath, [programs.sluice, ...args(100 + index)], { cwd, stdio: "ignore" }),
    );
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    const finished = await Promise.all(
      numbers.map(async (index) => {
        const done = await sluiceProgram([...args(index), "--json"], { cwd });
        victims.pop()?.kill("SIGKILL");
        return done;
      }),
    );
    const failed = finished.filter(({ code }) => code !== 0);
    assert.equal(failed, []);
    const results = finished.map(({ stdout }) => (JSON.parse(stdout) as { result: RevokeResult }).result);
    assert.is(new Set(results.map(({ sequence }) => sequence)).size, 8, "no two lists have the same number");
    const listed = new Set(listOf(cwd).revoked.map(({ sha256 }) => sha256));
    assert.equal(
      numbers.map(bundleId).filter((id) => !listed.has(id)),
      [],
    );
    const next = await succeed<RevokeResult>(cwd, ...revokeAs("bo"));
    assert.is(next.sequence, Math.max(...results.map(({ sequence }) => sequence), listOf(cwd).sequence - 1) + 1);
    assert.ok(next.total >= 8);
  }));

test("a list that was replaced by an older one, or deleted, loses no revocation", () =>
  withPeople(async (cwd) => {
    const file = join(cwd, "sluice-workspace", "revocations.json");
    await succeed(cwd, ...revokeAs("bo"), "--bundle", bundleId(1));
    const older = readFileSync(file);
    await succeed(cwd, ...revokeAs("bo"), "--bundle", bundleId(2));
    writeFileSync(file, older);
    assert.equal((await succeed<RevokeResult>(cwd, ...revokeAs("bo"), "--bundle", bundleId(3))).total, 3);
    rmSync(file);
    const last = await succeed<RevokeResult>(cwd, ...revokeAs("cy"));
    assert.equal([last.sequence, last.total], [4, 3]);
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
    assert.match(again.stderr, "VERSION_ROLLBACK");
  }));
