import { chmodSync, statSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "../../cli/run-cli.js";
import { createKeyFile } from "../../release/signing/key-file.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { type SluiceOptions, sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";
import { testWorld } from "./support/test-world.js";

/** One person who may sign everything alone, with an encrypted key in the default workspace. */
const withKey = (run: (cwd: string) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (cwd) => {
    const keys = join("sluice-workspace", "keys");
    await mkdir(join(cwd, keys), { recursive: true });
    await createKeyFile(join(cwd, keys, "bo.pem"), "secret", 1);
    const roles = ["--producer", "bo", "--approver", "bo", "--threshold", "1", "--expires", "365d"];
    await succeed(cwd, "trust", "create", "--principal", `bo=${join(keys, "bo.pub.pem")}`, ...roles);
    for (const name of ["right", "wrong"])
      writeFileSync(join(cwd, name), `${name === "right" ? "secret" : name}\nrest\n`);
    writeFileSync(join(cwd, "empty"), "");
    await run(cwd);
  });

const revoke = ["revoke", "--revoker", "bo", "--key", "bo"];

/** What each source gives, in their order; a source that is named wins over all that follow. */
const sources = (value: string): readonly (readonly [string, readonly string[], Partial<SluiceOptions>])[] => [
  ["a descriptor", ["--passphrase-fd", "0", "--passphrase-file", "wrong"], { input: `${value}\nrest` }],
  [
    "a file",
    ["--passphrase-file", value === "secret" ? "right" : value || "empty"],
    { env: { SLUICE_PASSPHRASE: "x" } },
  ],
  ["the environment", [], { env: { SLUICE_PASSPHRASE: value } }],
];

for (const [index, [name]] of sources("").entries()) {
  test(`case 69: ${name} gives the passphrase; a wrong and an empty one are refused`, () =>
    withKey(async (cwd) => {
      for (const value of ["wrong", "", "secret"]) {
        const [, args, options] = sources(value)[index] ?? ["", [], {}];
        const { code, stdout, stderr } = await sluice([...revoke, ...args], { cwd, ...options });
        assert.is(code, value === "secret" ? 0 : 4, `${value}: ${stdout}${stderr}`);
        if (value !== "secret") assert.match(stderr, "PASSPHRASE_WRONG");
      }
    }));
}

/** Runs in this process at a terminal where a person answers; returns how often somebody was asked. */
async function atTerminal(cwd: string, answer: string, more: readonly string[] = []) {
  let asked = 0;
  const world = testWorld({
    clock: () => statSync(join(cwd, "sluice-workspace", "trust.json")).mtimeMs,
    askSecret: async () => {
      asked += 1;
      return answer;
    },
  });
  const code = await runCli([...revoke, ...more, "--workspace", join(cwd, "sluice-workspace")], world);
  return { code, asked, stderr: world.written.stderr };
}

test("case 69: the passphrase is read from the terminal, as the last prompt", () =>
  withKey(async (cwd) => {
    assert.equal([(await atTerminal(cwd, "secret")).code, (await atTerminal(cwd, "secret")).asked], [0, 1]);
    const wrong = await atTerminal(cwd, "");
    assert.is(wrong.code, 4);
    assert.match(wrong.stderr, "PASSPHRASE_WRONG");
    assert.equal((await atTerminal(cwd, "unused", ["--passphrase-file", join(cwd, "right")])).asked, 0);
  }));

test("case 69: without any source nothing waits, although stdin is held open", () =>
  withKey(async (cwd) => {
    const { code, stderr } = await sluice(revoke, { cwd });
    assert.is(code, 2);
    assert.match(stderr, "PASSPHRASE_MISSING");
  }));

test("case 69: a key file that others may read, and a missing one, are refused before any prompt", () =>
  withKey(async (cwd) => {
    const key = join(cwd, "sluice-workspace", "keys", "bo.pem");
    chmodSync(key, 0o644);
    const open = await atTerminal(cwd, "secret");
    assert.equal([open.code, open.asked], [4, 0]);
    assert.match(open.stderr, "KEY_FILE_MODE");
    const missing = await atTerminal(cwd, "secret", ["--revocations", "x"]);
    assert.is(missing.asked, 0);
    const nobody = await sluice(["revoke", "--revoker", "bo", "--key", "nobody"], { cwd });
    assert.is(nobody.code, 2);
    assert.match(nobody.stderr, /FILE_NOT_FOUND: .*nobody\.pem: no such key file/);
  }));

test("case 69: a passphrase file that is not there, and an endless first line, are named", () =>
  withKey(async (cwd) => {
    const absent = await sluice([...revoke, "--passphrase-file", "absent"], { cwd });
    assert.match(absent.stderr, "FILE_NOT_FOUND: absent: no such file");
    const endless = await sluice([...revoke, "--passphrase-fd", "0"], { cwd, input: "x".repeat(5000) });
    assert.is(endless.code, 2);
    assert.match(endless.stderr, "more than 4096 bytes in the first line");
  }));

test("a new key needs a passphrase of at least 12 characters, and the message does not show it", () =>
  inTemporaryFolder(async (cwd) => {
    for (const [value, code] of [
      ["elevenchars", 2],
      ["\u{1f511}".repeat(11), 2],
      ["twelve chars", 0],
    ] as const) {
      writeFileSync(join(cwd, "pass"), `${value}\n`);
      const { code: found, stderr } = await sluice(["key", "create", "k.pem", "--passphrase-file", "pass"], { cwd });
      assert.is(found, code, stderr);
      if (code === 0) continue;
      assert.match(stderr, "PASSPHRASE_TOO_SHORT: the passphrase has 11 characters; a new key needs at least 12");
      assert.not.match(stderr, value);
    }
  }));
