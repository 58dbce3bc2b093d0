import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicKeyFromPem, verifiesSignature } from "../../../src/trust/public-key.js";
import {
  createKeyFile,
  openPrivateKey,
  publicKeyPath,
  readKeyFile,
  defaultKeyRounds,
} from "../../../release/signing/key-file.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

const fewRounds = 3;
const passphrase = "correct horse";

function withKey(run: (path: string, folder: string) => Promise<void>): () => Promise<void> {
  return () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, "ana.pem");
      await createKeyFile(path, passphrase, fewRounds);
      await run(path, folder);
    });
}

test(
  "a created key signs, and its public key file verifies",
  withKey(async (path, folder) => {
    const signer = await openPrivateKey(path, passphrase);
    const publicKey = publicKeyFromPem(readFileSync(join(folder, "ana.pub.pem"), "utf8"), "ana.pub.pem");
    const message = Buffer.from("message");
    assert.is(publicKey.keyId, signer.keyId);
    assert.ok(verifiesSignature(publicKey, message, await signer.sign(message)));
    assert.is(statSync(path).mode & 0o777, 0o600);
  }),
);

test(
  "openssl opens the key file and agrees on the key id",
  withKey(async (path, folder) => {
    const der = execFileSync("openssl", ["pkey", "-in", path, "-passin", `pass:${passphrase}`, "-pubout"]);
    assert.is(der.toString(), readFileSync(publicKeyPath(path), "utf8"));
    const script = 'openssl pkey -pubin -in "$1" -outform DER | sha256sum | cut -c1-64';
    const keyId = execFileSync("bash", ["-c", script, "bash", join(folder, "ana.pub.pem")], { encoding: "utf8" });
    assert.is(keyId.trim(), (await openPrivateKey(path, passphrase)).keyId);
  }),
);

test("the default number of rounds is written into the file", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "key");
    await createKeyFile(path, passphrase);
    const parsed = execFileSync("openssl", ["asn1parse", "-in", path], { encoding: "utf8" });
    assert.match(parsed, "PBES2");
    assert.match(parsed, "hmacWithSHA256");
    assert.match(parsed, "aes-256-cbc");
    assert.match(parsed, `:0${defaultKeyRounds.toString(16).toUpperCase()}`);
    await openPrivateKey(path, passphrase);
  }));

test(
  "every wrong passphrase is reported as one, also where the padding happens to fit",
  withKey(async (path) => {
    for (let i = 0; i < 300; i += 1) {
      const error = await rejects(openPrivateKey(path, `wrong ${i}`), "PASSPHRASE_WRONG");
      assert.not.ok(error.message.includes(`wrong ${i}`));
    }
    await rejects(openPrivateKey(path, ""), "PASSPHRASE_WRONG");
    await rejects(openPrivateKey(path, undefined), "PASSPHRASE_MISSING");
  }),
);

test(
  "a key that others can read is refused",
  withKey(async (path) => {
    for (const mode of [0o644, 0o640, 0o604, 0o620]) {
      chmodSync(path, mode);
      const error = await rejects(openPrivateKey(path, passphrase), "KEY_FILE_MODE");
      assert.match(error.hint ?? "", `chmod 600 ${path}`);
    }
    symlinkSync(path, `${path}.link`);
    await rejects(openPrivateKey(`${path}.link`, passphrase), "KEY_FILE_MODE");
  }),
);

test(
  "a missing key, a public key and another kind of key are refused",
  withKey(async (path, folder) => {
    await rejects(readKeyFile(join(folder, "nobody.pem")), "FILE_NOT_FOUND");
    chmodSync(publicKeyPath(path), 0o600);
    await rejects(openPrivateKey(publicKeyPath(path), undefined), "KEY_INVALID");
    const rsa = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
    writeFileSync(join(folder, "ec.pem"), rsa, { mode: 0o600 });
    await rejects(openPrivateKey(join(folder, "ec.pem"), undefined), "KEY_INVALID");
  }),
);

test("an unencrypted key of another tool is opened", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "plain.pem");
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", path]);
    chmodSync(path, 0o600);
    assert.is((await readKeyFile(path)).encrypted, false);
    assert.is((await openPrivateKey(path, undefined)).keyId.length, 64);
  }));

test(
  "nothing is overwritten, neither the private nor the public key",
  withKey(async (path, folder) => {
    const before = readFileSync(path, "utf8");
    await rejects(createKeyFile(path, passphrase, fewRounds), "FILE_EXISTS");
    assert.is(readFileSync(path, "utf8"), before);
    writeFileSync(join(folder, "bob.pub.pem"), "something");
    await rejects(createKeyFile(join(folder, "bob.pem"), passphrase, fewRounds), "FILE_EXISTS");
    assert.not.ok(existsSync(join(folder, "bob.pem")));
  }),
);

test("an empty passphrase and a folder that is not there create nothing", () =>
  inTemporaryFolder(async (folder) => {
    await rejects(createKeyFile(join(folder, "key"), "", fewRounds), "PASSPHRASE_MISSING");
    await rejects(createKeyFile(join(folder, "no", "key"), passphrase, fewRounds), "WRITE_FAILED");
    mkdirSync(join(folder, "no"));
    await createKeyFile(join(folder, "no", "key"), passphrase, fewRounds);
    assert.not.ok(existsSync(join(folder, "key")));
  }));
