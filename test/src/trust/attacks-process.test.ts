import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { writeFolder } from "../../../release/bundle-files/write-folder.js";
import { SluiceError } from "../../../src/base/error.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";
import { checkTestBundle } from "../../support/verify-test-bundle.js";

/** The attack cases on the surroundings of the process, numbered as in the list of attacks: 64 and 70. */

test("case 64: of imports of one bundle at once one creates the folder, the others say that it is there", () =>
  inTemporaryFolder(async (folder) => {
    await writeTestBundle(join(folder, "bundle"));
    const { files, entries } = await readDirectory(join(folder, "bundle"));
    const directory = join(folder, "imported");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => writeFolder({ files, directory, check: checkTestBundle })),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    assert.is(refused.length, 3);
    for (const error of refused) assert.is(error instanceof SluiceError && error.code, "FILE_EXISTS");
    assert.equal((await readDirectory(directory)).entries, entries);
    assert.equal(readdirSync(folder).sort(), ["bundle", "imported"]);
  }));

const program = fileURLToPath(new URL("../../support/identity-program.js", import.meta.url));

async function identities(umask: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const script = `umask ${umask} && cd "$1" && exec "$2" "$3"`;
  const options = { env: { PATH: process.env["PATH"], ...env } };
  const { stdout } = await promisify(execFile)("sh", ["-c", script, "sh", cwd, process.execPath, program], options);
  return stdout;
}

test("case 70: language, time zone, umask and working directory change no digest and no byte", async () => {
  const plain = await identities("022", "/", {});
  assert.is(plain.trim().split("\n").length, 4);
  const others: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ["077", "/", { LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", TZ: "Pacific/Apia" }],
    ["000", "/tmp", { LANG: "C", LC_ALL: "C", TZ: "America/St_Johns" }],
    ["027", "/usr", { LC_ALL: "sv_SE.UTF-8", TZ: "UTC", NODE_ICU_DATA: "" }],
  ];
  for (const [umask, cwd, env] of others) assert.is(await identities(umask, cwd, env), plain, JSON.stringify(env));
});
