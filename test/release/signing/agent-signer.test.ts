import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { agentSigner } from "../../../release/signing/agent-signer.js";
import { publicKeyFromFile, verifiesSignature } from "../../../src/trust/public-key.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { testSigner } from "../../support/builders-artifacts.js";
import { testWithTool } from "../../support/external-tool.js";
import { succeed } from "../../cli/support/small-workspace.js";
import { sluice } from "../../cli/support/sluice.js";

const timeoutMs = 2000;

async function socketAppears(agent: ChildProcess, socket: string): Promise<void> {
  if (agent.stdout !== null && !existsSync(socket)) await once(agent.stdout, "data");
}

/** A real agent that holds the key of `key.pub`, in a fresh folder. */
const withAgent = (run: (folder: string, socket: string) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const socket = join(folder, "agent.sock");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      await socketAppears(agent, socket);
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "bo", "-f", join(folder, "key")]);
      execFileSync("ssh-add", ["-q", join(folder, "key")], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      await run(folder, socket);
    } finally {
      agent.kill();
    }
  });

const keyIn = (folder: string) => publicKeyFromFile(readFileSync(join(folder, "key.pub"), "utf8"), "key.pub");

testWithTool(test, "ssh-agent", "a real agent signs, and the signature is plain Ed25519 over the bytes", () =>
  withAgent(async (folder, socket) => {
    const publicKey = keyIn(folder);
    const message = Buffer.from("DSSEv1 4 type 4 body");
    const signature = await agentSigner({ socket, publicKey, timeoutMs }).sign(message);
    assert.ok(verifiesSignature(publicKey, message, signature));
  }),
);

testWithTool(test, "ssh-agent", "a key that the agent does not hold is refused", () =>
  withAgent(async (_folder, socket) => {
    const other = agentSigner({ socket, publicKey: testSigner("other").publicKey, timeoutMs });
    const error = await rejects(other.sign(Buffer.from("x")), "SIGNER_FAILED");
    assert.match(error.message, "does not have it");
  }),
);

testWithTool(test, "ssh-agent", "a revocation list is signed by the agent from the command line", () =>
  withAgent(async (cwd, socket) => {
    const roles = ["--producer", "bo", "--approver", "bo", "--threshold", "1", "--expires", "30d"];
    await succeed(cwd, "trust", "create", "--principal", "bo=key.pub", ...roles);
    const args = ["revoke", "--revoker", "bo", "--key", "key.pub", "--ssh-agent", "--json"];
    const signed = await sluice(args, { cwd, env: { SSH_AUTH_SOCK: socket } });
    assert.is(signed.code, 0, signed.stdout);
    const nobody = await sluice(args, { cwd, env: { SSH_AUTH_SOCK: "" } });
    assert.is(nobody.code, 2);
    assert.match(nobody.stdout, "SSH_AUTH_SOCK names no agent");
  }),
);

/** A server that answers each request with these bytes; null answers nothing. */
async function withFalseAgent(reply: Buffer | null, run: (socket: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const socket = join(folder, "false.sock");
    const server = createServer((connection) => {
      connection.on("error", () => undefined);
      connection.on("data", () => void (reply === null ? undefined : connection.end(reply)));
    }).listen(socket);
    await once(server, "listening");
    try {
      await run(socket);
    } finally {
      server.close();
    }
  });
}

const framed = (...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
};
const replyWith = (algorithm: string, signature: Uint8Array): Buffer =>
  framed(Buffer.from([14]), framed(framed(Buffer.from(algorithm)), framed(signature)));

const falseReplies: readonly (readonly [string, Buffer, "SIGNER_FAILED" | "SIGNATURE_INVALID"])[] = [
  ["a signature that does not verify", replyWith("ssh-ed25519", Buffer.alloc(64)), "SIGNATURE_INVALID"],
  ["a signature of another length", replyWith("ssh-ed25519", Buffer.alloc(63)), "SIGNATURE_INVALID"],
  ["another algorithm", replyWith("rsa-sha2-512", Buffer.alloc(64)), "SIGNER_FAILED"],
  ["a refusal", framed(Buffer.from([5])), "SIGNER_FAILED"],
  ["a cut string", framed(Buffer.from([14, 0, 0, 0, 99])), "SIGNER_FAILED"],
  ["an endless frame", Buffer.from("ffffffff", "hex"), "SIGNER_FAILED"],
  ["half a frame", Buffer.from([0, 0, 0, 50, 14]), "SIGNER_FAILED"],
];
for (const [name, reply, code] of falseReplies) {
  test(`an agent that answers with ${name} signs nothing`, () =>
    withFalseAgent(reply, async (socket) => {
      const signer = agentSigner({ socket, publicKey: testSigner("ana").publicKey, timeoutMs });
      await rejects(signer.sign(Buffer.from("x")), code);
    }));
}

test("an agent that never answers hits the time limit, and a missing agent is named", () =>
  withFalseAgent(null, async (socket) => {
    const publicKey = testSigner("ana").publicKey;
    const slow = await rejects(
      agentSigner({ socket, publicKey, timeoutMs: 50 }).sign(Buffer.from("x")),
      "SIGNER_FAILED",
    );
    assert.match(slow.message, "did not answer within 0.05 s");
    const absent = agentSigner({ socket: `${socket}.absent`, publicKey, timeoutMs });
    assert.match((await rejects(absent.sign(Buffer.from("x")), "SIGNER_FAILED")).message, "cannot be reached");
  }));

test("the public key of OpenSSH and a garbled one", () => {
  const { publicKey } = testSigner("ana");
  const blob = Buffer.concat([framed(Buffer.from("ssh-ed25519")), framed(publicKey.raw)]).toString("base64");
  assert.is(publicKeyFromFile(`ssh-ed25519 ${blob} ana@host\n`, "ana").keyId, publicKey.keyId);
  for (const text of ["ssh-ed25519 AAAA x", `ssh-ed25519 ${blob.slice(0, -4)}`, "ssh-rsa AAAA"]) {
    try {
      publicKeyFromFile(text, "ana");
      assert.unreachable(text);
    } catch (thrown) {
      assert.is((thrown as { code?: string }).code, "KEY_INVALID", text);
    }
  }
});

test("an OpenSSH private key file is not accepted as a public key", () =>
  inTemporaryFolder(async (cwd) => {
    writeFileSync(join(cwd, "key"), "-----BEGIN OPENSSH PRIVATE KEY-----\n");
    const { code, stderr } = await sluice(["key", "show", "key"], { cwd });
    assert.is(code, 4);
    assert.match(stderr, "KEY_IS_PRIVATE");
  }));
