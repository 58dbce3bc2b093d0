import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { commandSigner, type CommandSignerOptions } from "../../../release/signing/command-signer.js";
import { createKeyFile } from "../../../release/signing/key-file.js";
import { publicKeyFromFile, verifiesSignature } from "../../../src/trust/public-key.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { testSigner } from "../../support/builders-artifacts.js";

const { publicKey } = testSigner("ana");
const message = Buffer.from("DSSEv1 4 type 4 body");
const signerOf = (command: string, changes: Partial<CommandSignerOptions> = {}) =>
  commandSigner({ command, publicKey, timeoutMs: 10_000, signal: new AbortController().signal, ...changes });

/** What stands in for the tool of a device: openssl with a key that this program did not open. */
const opensslWith = (key: string) =>
  `t=$(mktemp) && cat > "$t" && openssl pkeyutl -sign -rawin -inkey '${key}' -passin pass:secret -in "$t" | base64 -w0; rm "$t"`;

test("a command signs with a key that this program never sees", () =>
  inTemporaryFolder(async (folder) => {
    const key = join(folder, "device.pem");
    const { publicKeyPath } = await createKeyFile(key, "secret", 1);
    const own = publicKeyFromFile(readFileSync(publicKeyPath, "utf8"), "device");
    const signature = await signerOf(opensslWith(key), { publicKey: own }).sign(message);
    assert.ok(verifiesSignature(own, message, signature));
    await rejects(signerOf(opensslWith(key)).sign(message), "SIGNATURE_INVALID");
  }));

test("the command receives exactly the bytes to sign, even a megabyte", () =>
  inTemporaryFolder(async (folder) => {
    const big = Buffer.alloc(1_000_000, 7);
    const file = join(folder, "seen");
    await rejects(signerOf(`cat > '${file}'; echo AAAA`).sign(big), "SIGNATURE_INVALID");
    assert.ok(readFileSync(file).equals(big));
  }));

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["ends with an error", "echo AAAA; exit 3", /ended with 3/],
  ["is not there", "no-such-signer-program", /ended with 127/],
  ["prints no base64", "echo 'not a signature!'", /something other than base64/],
  ["prints without end", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", /more than 4096 bytes/],
];
for (const [name, command, text] of refused) {
  test(`a command that ${name} signs nothing`, async () => {
    assert.match((await rejects(signerOf(command).sign(message), "SIGNER_FAILED")).message, text);
  });
}

test("a command that does not exit is killed with all its children", () =>
  inTemporaryFolder(async (folder) => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const writersAreGone = readFile(pipe);
    const command = `sleep 30 3> '${pipe}' & sleep 30`;
    const started = performance.now();
    const error = await rejects(signerOf(command, { timeoutMs: 500 }).sign(message), "SIGNER_FAILED");
    assert.match(error.message, "did not end within 0.5 s");
    await writersAreGone;
    assert.ok(performance.now() - started < 20_000);
  }));

test("an interruption ends the command", async () => {
  const controller = new AbortController();
  const signing = signerOf("sleep 60", { signal: controller.signal }).sign(message);
  controller.abort(new Error("interrupted by the test"));
  try {
    await signing;
    assert.unreachable();
  } catch (thrown) {
    assert.match((thrown as Error).message, "interrupted by the test");
  }
});

test("a message never repeats what the command printed", () =>
  inTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, "secret"), "hunter2 hunter2");
    const error = await rejects(signerOf(`cat '${join(folder, "secret")}'`).sign(message), "SIGNER_FAILED");
    assert.not.match(`${error.message} ${error.hint ?? ""}`, "hunter2");
  }));
