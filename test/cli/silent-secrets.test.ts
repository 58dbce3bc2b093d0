import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createKeyFile } from "../../release/signing/key-file.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { ownedCatalog } from "./support/small-catalog.js";
import { sluice } from "./support/sluice.js";

/** Marks that no message may hold: passphrases, a request text, a label, a device's answer. */
const secrets = ["correct-horse", "wrong-battery", "my-unspoken-request", "hunter2-of-the-device"] as const;
const [passphrase, wrongPassphrase, requestText, deviceSecret] = secrets;

async function prepare(cwd: string): Promise<readonly string[]> {
  const keys = join(cwd, "sluice-workspace", "keys");
  await mkdir(keys, { recursive: true });
  await createKeyFile(join(keys, "bo.pem"), passphrase, 1);
  const pem = readFileSync(join(keys, "bo.pem"), "utf8");
  const body = pem.split("\n").slice(1, -2);
  writeFileSync(join(keys, "damaged.pem"), pem.replace(/\n.{8}/, "\n########"), { mode: 0o600 });
  writeFileSync(join(cwd, "right"), passphrase);
  writeFileSync(join(cwd, "wrong"), wrongPassphrase);
  writeFileSync(join(cwd, "catalog.yaml"), ownedCatalog);
  const row = { id: "1", text: requestText, workflow_id: "no.such.workflow" };
  writeFileSync(join(cwd, "rows.jsonl"), `${JSON.stringify(row)}\n{"id":"2","text":"${requestText}`);
  writeFileSync(join(cwd, "rows.csv"), `id,text,workflow_id\n1,"${requestText}\n`);
  return body;
}

const key = ["--key", "bo"];
const commands: readonly (readonly [string, readonly string[], (readonly [string, string])?])[] = [
  ["a wrong passphrase", ["revoke", "--revoker", "bo", ...key, "--passphrase-file", "wrong"]],
  [
    "a wrong passphrase in the environment",
    ["revoke", "--revoker", "bo", ...key],
    ["SLUICE_PASSPHRASE", wrongPassphrase],
  ],
  ["a damaged key", ["revoke", "--revoker", "bo", "--key", "damaged", "--passphrase-file", "right"]],
  ["a private key as a public one", ["key", "show", "sluice-workspace/keys/bo.pem"]],
  ["a key that exists", ["key", "create", "bo", "--passphrase-file", "right"]],
  [
    "a private key in a policy",
    ["trust", "create", "--principal", "bo=sluice-workspace/keys/bo.pem", "--expires", "1d"],
  ],
  ["a private key as a policy", ["trust", "show", "--trust", "sluice-workspace/keys/bo.pem"]],
  [
    "a device that prints something else",
    ["revoke", "--revoker", "bo", "--key", "bo", "--signer-command", `echo ${deviceSecret}`],
  ],
  ["a private key as a signature", ["revoke", "--revoker", "bo", ...key, "--attach", "sluice-workspace/keys/bo.pem"]],
  ["rows that are no rows", ["dataset", "import", "rows.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml"]],
  ["a table that is cut off", ["dataset", "import", "rows.csv", "--format", "table", "--catalog", "catalog.yaml"]],
  ["a request without models", ["route", requestText, "--catalog", "catalog.yaml"]],
];
for (const [name, args, variable] of commands) {
  test(`case 72: the message about ${name} holds neither key material nor a text`, () =>
    inTemporaryFolder(async (cwd) => {
      const body = await prepare(cwd);
      for (const more of [[], ["--json"]]) {
        const env = variable === undefined ? {} : { [variable[0]]: variable[1] };
        const { code, stdout, stderr } = await sluice([...args, ...more], { cwd, env });
        assert.is.not(code, 0, stdout);
        const said = `${stdout}${stderr}`;
        assert.match(said, /[A-Z]+_?[A-Z]+/);
        for (const secret of [...secrets, ...body]) assert.not.ok(said.includes(secret), `${secret} in: ${said}`);
      }
    }));
}
