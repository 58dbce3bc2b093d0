import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { preAuthEncoding } from "../../src/trust/verify/open-envelope.js";
import { publicKeyFromFile, verifiesSignature } from "../../src/trust/public-key.js";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { openManifest } from "../../src/trust/verify/open-manifest.js";
import { statementPayloadType } from "../../src/documents/signed.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { testNow, testSigner, testTrustBytes, writeTestBundle } from "../support/builders-artifacts.js";
import { testWithTool } from "../support/external-tool.js";

/** Programs of others agree with Sluice about signatures; the programs are those of the page about verification. */

const examples = join(packageRoot, "docs", "examples");
const namespace = "sluice";

/** A folder with bundle/, trust.json, the bytes that the manifest's signature covers, and what the page writes. */
const withFiles = (run: (folder: string, message: Buffer) => Promise<void> | void): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const { manifest } = await writeTestBundle(join(folder, "bundle"));
    writeFileSync(join(folder, "trust.json"), testTrustBytes());
    const message = preAuthEncoding(statementPayloadType, manifest.payload);
    writeFileSync(join(folder, "signed.bin"), message);
    execFileSync("sh", [join(examples, "allowed-signers.sh")], { cwd: folder });
    await run(folder, message);
  });

const python = (folder: string, ...args: readonly string[]) =>
  spawnSync("python3", [join(examples, "check-signatures.py"), ...args], { cwd: folder, encoding: "utf8" });

testWithTool(test, "python3 with cryptography", "a second implementation verifies manifest and approvals", () =>
  withFiles((folder) => {
    for (const [file, person] of [
      ["bundle/manifest.dsse.json", "pam"],
      ["bundle/approvals/ana.dsse.json", "ana"],
    ] as const) {
      const { status, stdout, stderr } = python(folder, file, "trust.json");
      assert.equal([status, stdout], [0, `signed by ${person}\n`], stderr);
    }
  }),
);

testWithTool(test, "python3 with cryptography", "a second implementation refuses what Sluice refuses", () =>
  withFiles((folder) => {
    const file = join(folder, "bundle", "manifest.dsse.json");
    const envelope = JSON.parse(readFileSync(file, "utf8")) as { payload: string; payloadType: string };
    const payload = Buffer.from(envelope.payload, "base64").toString("utf8").replace("2026.3.1", "2026.3.2");
    for (const changed of [
      { ...envelope, payload: Buffer.from(payload).toString("base64") },
      { ...envelope, payloadType: "application/vnd.in-toto+jsom" },
    ]) {
      writeFileSync(file, JSON.stringify(changed));
      const { status, stderr } = python(folder, "bundle/manifest.dsse.json", "trust.json");
      assert.is.not(status, 0);
      assert.match(stderr, "InvalidSignature");
    }
  }),
);

const signingProgram = `
import base64, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(sys.argv[1]))
body = open("payload.json", "rb").read()
kind = b"application/vnd.in-toto+json"
signature = key.sign(b"DSSEv1 " + str(len(kind)).encode() + b" " + kind + b" " + str(len(body)).encode() + b" " + body)
text = lambda b: base64.b64encode(b).decode()
print('{"payload":"%s","payloadType":"%s","signatures":[{"keyid":"","sig":"%s"}]}' % (text(body), kind.decode(), text(signature)), end="")
`;

testWithTool(test, "python3 with cryptography", "Sluice opens a manifest that a second implementation signed", () =>
  withFiles((folder) => {
    const { payload } = JSON.parse(readFileSync(join(folder, "bundle", "manifest.dsse.json"), "utf8")) as {
      payload: string;
    };
    writeFileSync(join(folder, "payload.json"), Buffer.from(payload, "base64"));
    const seed = createHash("sha256").update("test key of pam").digest("hex");
    const envelope = execFileSync("python3", ["-c", signingProgram, seed], { cwd: folder });
    const opened = openManifest(envelope, parseTrustPolicy(testTrustBytes()), testNow, "manifest");
    assert.is(opened.predicate.producer, "pam");
  }),
);

const lengthAndBytes = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const text = (value: string): Buffer => lengthAndBytes(Buffer.from(value));

/** What an OpenSSH signature covers. Source: PROTOCOL.sshsig of OpenSSH */
function openSshMessage(message: Uint8Array): Buffer {
  const digest = createHash("sha512").update(message).digest();
  return Buffer.concat([Buffer.from("SSHSIG"), text(namespace), text(""), text("sha512"), lengthAndBytes(digest)]);
}

/** An OpenSSH signature by a test key, as ssh-keygen reads it. */
async function openSshSignature(name: string, message: Uint8Array): Promise<string> {
  const signer = testSigner(name);
  const version = Buffer.from([0, 0, 0, 1]);
  const key = Buffer.concat([text("ssh-ed25519"), lengthAndBytes(signer.publicKey.raw)]);
  const signature = Buffer.concat([text("ssh-ed25519"), lengthAndBytes(await signer.sign(openSshMessage(message)))]);
  const parts = [lengthAndBytes(key), text(namespace), text(""), text("sha512"), lengthAndBytes(signature)];
  const blob = Buffer.concat([Buffer.from("SSHSIG"), version, ...parts]).toString("base64");
  return `-----BEGIN SSH SIGNATURE-----\n${blob}\n-----END SSH SIGNATURE-----\n`;
}

function verifyWithOpenSsh(folder: string, person: string, message: Uint8Array) {
  const args = ["-Y", "verify", "-f", "allowed_signers", "-I", person, "-n", namespace, "-s", "made.sig"];
  return spawnSync("ssh-keygen", args, { cwd: folder, input: message, encoding: "utf8" });
}

testWithTool(
  test,
  "ssh-keygen",
  "ssh-keygen verifies with the keys of the trust policy, and only with the right one",
  () =>
    withFiles(async (folder, message) => {
      writeFileSync(join(folder, "made.sig"), await openSshSignature("pam", message));
      const good = verifyWithOpenSsh(folder, "pam", message);
      assert.is(good.status, 0, good.stderr);
      assert.match(good.stdout, 'Good "sluice" signature for pam');
      assert.is.not(verifyWithOpenSsh(folder, "ana", message).status, 0);
      assert.is.not(verifyWithOpenSsh(folder, "pam", Buffer.concat([message, Buffer.from(" ")])).status, 0);
    }),
);

testWithTool(
  test,
  "ssh-keygen",
  "ssh-keygen reads the same key from a policy as from its own file, and its signature verifies here",
  () =>
    withFiles((folder, message) => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "dee", "-f", join(folder, "dee")]);
      const key = publicKeyFromFile(readFileSync(join(folder, "dee.pub"), "utf8"), "dee.pub");
      const trust = { principals: [{ id: "dee", keys: [{ public_key: key.raw.toString("base64") }] }] };
      writeFileSync(join(folder, "trust.json"), JSON.stringify(trust));
      execFileSync("sh", [join(examples, "allowed-signers.sh")], { cwd: folder });
      const [, , , blob] = readFileSync(join(folder, "allowed_signers"), "utf8").trim().split(" ");
      assert.is(blob, readFileSync(join(folder, "dee.pub"), "utf8").split(" ")[1]);
      execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-n", namespace, "-f", "dee", "signed.bin"], {
        cwd: folder,
        stdio: "ignore",
      });
      const armour = readFileSync(join(folder, "signed.bin.sig"), "utf8");
      const signature = Buffer.from(armour.replace(/-----[A-Z ]+-----/g, ""), "base64").subarray(-64);
      assert.ok(verifiesSignature(key, openSshMessage(message), signature));
      assert.not.ok(verifiesSignature(key, openSshMessage(Buffer.from("other")), signature));
    }),
);
