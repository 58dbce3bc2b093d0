import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkOpens } from "./check.js";
import type { WorkspaceCheck } from "./workspace-check.js";
import { publicKeyFromFile } from "../../src/artifacts/public-key.js";
import { readKeyFile } from "../signing/key-file.js";

/** Reads every key file of the workspace, without a passphrase. */
export const checkKeys: WorkspaceCheck = async (workspace) => {
  const names = (await readdir(workspace.keys).catch(() => [])).filter((name) => name.endsWith(".pem")).sort();
  return Promise.all(
    names.map((name) => {
      const file = join(workspace.keys, name);
      return checkOpens("key", "Create another key: sluice key create NAME", () =>
        name.endsWith(".pub.pem") ? publicKey(file) : privateKey(file),
      );
    }),
  );
};

async function publicKey(file: string): Promise<string> {
  return `${file}: public key ${publicKeyFromFile(await readFile(file, "utf8"), file).keyId}`;
}

async function privateKey(file: string): Promise<string> {
  const { encrypted } = await readKeyFile(file);
  return `${file}: private key, ${encrypted ? "encrypted" : "NOT encrypted"}`;
}
