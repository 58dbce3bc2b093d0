import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, test } from "../support/test.js";
import { approveAs, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { type Person, succeed } from "./support/small-workspace.js";

/** The file system of a machine without a network: openssl signs the bytes with a key that only it has. */
const signElsewhere = (cwd: string, person: Person, file: string): void => {
  const key = join("sluice-workspace", "keys", `${person}.pem`);
  const pass = `file:${person}.pass`;
  execFileSync(
    "openssl",
    ["pkeyutl", "-sign", "-rawin", "-inkey", key, "-passin", pass, "-in", file, "-out", `${file}.sig`],
    {
      cwd,
    },
  );
};

interface Awaited {
  readonly sha256: string;
  readonly signed_at: string;
}

test("an approver signs on another machine: the bytes go out, the signature comes back and is verified", () =>
  inRelease(async (cwd) => {
    const approve = ["approve", "--approver", "bo", "--key", "bo", "--yes", "--reason", "read on paper"];
    const { signed_at } = await succeed<Awaited>(cwd, ...approve, "--detach", "bo.sign");
    assert.equal((await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "approval")).entries, []);
    assert.match(await readFile(join(cwd, "bo.sign"), "latin1"), /^DSSEv1 28 application\/vnd\.in-toto\+json \d+ \{/);
    signElsewhere(cwd, "bo", "bo.sign");
    const attach = ["--attach", "bo.sign.sig", "--signed-at", signed_at];
    for (const [wrong, says] of [
      [[...approve, "--days", "31", ...attach], "SIGNATURE_INVALID"],
      [[...approve, "--attach", "bo.sign.sig", "--signed-at", "2026-01-01"], "APPROVAL_NOT_COUNTED"],
      [["approve", "--approver", "bo", "--key", "cy", "--yes", ...attach], "APPROVAL_NOT_COUNTED"],
    ] as const) {
      const { code, stderr } = await sluice(wrong, { cwd });
      assert.is(code, 4, stderr);
      assert.match(stderr, says);
    }
    await succeed(cwd, ...approve, ...attach);
    assert.is((await approveAs(cwd, "cy")).code, 0);
    await succeed(cwd, "bundle", "export");
  }));

test("manifest, checkpoint, revocation list and policy are signed in two steps too", () =>
  inRelease(async (cwd) => {
    const steps: readonly (readonly [Person, readonly string[]])[] = [
      ["ann", ["manifest", "create", "--producer", "ann", "--bundle-version", "detached"]],
      ["cy", ["history", "checkpoint"]],
      ["bo", ["revoke", "--revoker", "bo", "--artifact", "a".repeat(64)]],
      ["bo", ["trust", "sign", join("sluice-workspace", "trust.json"), "--out", "signed.json"]],
      ["bo", ["reject", "--approver", "bo", "--yes", "--reason", "unclear"]],
    ];
    for (const [i, [person, words]] of steps.entries()) {
      const command = [...words, "--key", person];
      const { signed_at } = await succeed<Awaited>(cwd, ...command, "--detach", `${i}.sign`);
      signElsewhere(cwd, person, `${i}.sign`);
      await succeed(cwd, ...command, "--attach", `${i}.sign.sig`, "--signed-at", signed_at);
    }
    const { entries } = await succeed<{ entries: { kind: string }[] }>(cwd, "history", "log");
    const kinds = entries.slice(-4).map(({ kind }) => kind);
    assert.equal(kinds, ["manifest", "checkpoint", "revocation", "approval"]);
    await succeed(cwd, "history", "verify");
  }));

test("a device signs through a command, and a signature of another key is refused", () =>
  inRelease(async (cwd) => {
    const device = (person: Person): string =>
      `cat > device.in && openssl pkeyutl -sign -rawin -inkey sluice-workspace/keys/${person}.pem -passin file:${person}.pass -in device.in | base64 -w0`;
    const approve = ["approve", "--approver", "bo", "--key", "bo", "--yes", "--signer-command"];
    const wrong = await sluice([...approve, device("cy")], { cwd });
    assert.is(wrong.code, 4);
    assert.match(wrong.stderr, "SIGNATURE_INVALID");
    const stuck = await sluice([...approve, "sleep 20", "--signer-timeout", "1s"], { cwd });
    assert.is(stuck.code, 1);
    assert.match(stuck.stderr, "SIGNER_FAILED: the signer command did not end within 1 s");
    assert.equal((await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "approval")).entries, []);
    await succeed(cwd, ...approve, device("bo"));
  }));

test("two signers at once, and a time without its signature, are usage errors", () =>
  inRelease(async (cwd) => {
    const approve = ["approve", "--approver", "bo", "--key", "bo", "--yes"];
    const both = await sluice([...approve, "--ssh-agent", "--detach", "x"], { cwd });
    assert.match(both.stderr, "USAGE: --ssh-agent and --detach cannot be combined");
    const alone = await sluice([...approve, "--signed-at", "2026-03-01"], { cwd });
    assert.match(alone.stderr, "USAGE: --signed-at needs --attach");
  }));
