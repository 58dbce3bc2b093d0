import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { forgedShard } from "../support/shard-key.js";
import { sluice } from "./support/sluice.js";
import { fitSmallWorkspace, succeed } from "./support/small-workspace.js";

const tiny = { patterns: true, size: "tiny" } as const;

interface Made {
  readonly run: string;
  readonly document: { readonly records_sha256: string };
}

async function shardsOf(cwd: string, of: number): Promise<readonly string[]> {
  const folder = `shards-${of}`;
  for (let n = 1; n <= of; n += 1) {
    await succeed(cwd, "eval", "run", "--shard", `${n}/${of}`, "--shard-folder", folder);
  }
  return (await readdir(join(cwd, folder))).map((file) => join(folder, file));
}

async function failure(cwd: string, ...args: readonly string[]) {
  const { code, stdout } = await sluice([...args, "--json"], { cwd });
  const { error } = JSON.parse(stdout) as {
    error: { code: string; message: string; details: Readonly<Record<string, unknown>> };
  };
  return { exit: code, ...error };
}

test("shards are scored once, and merged in one workspace as in one process; elsewhere their inputs are missing", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, tiny);
    const files = await shardsOf(cwd, 2);
    const [first = ""] = files;
    const bytes = await readFile(join(cwd, first));
    const again = ["eval", "run", "--shard", "1/2", "--shard-folder", "shards-2"];
    assert.is((await succeed<{ known: boolean }>(cwd, ...again)).known, true);
    await writeFile(join(cwd, first), bytes.subarray(0, 100));
    assert.is((await succeed<{ known: boolean }>(cwd, ...again)).known, false);
    assert.equal(await readFile(join(cwd, first)), bytes);
    const elsewhere = join(cwd, "elsewhere");
    await mkdir(elsewhere);
    for (const file of ["requests.jsonl", "catalog.yaml"]) await cp(join(cwd, file), join(elsewhere, file));
    await succeed(elsewhere, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const merge = ["eval", "merge", ...files.map((file) => join("..", file))];
    const withoutKey = await failure(elsewhere, ...merge);
    assert.is(withoutKey.code, "FILE_NOT_FOUND");
    assert.match(withoutKey.message, "queue.key: no such key");
    const refused = await failure(elsewhere, ...merge, "--queue-key", join(cwd, "sluice-workspace", "queue.key"));
    assert.is(refused.code, "RECORD_NOT_FOUND");
    assert.match(refused.message, /lacks inputs of these shards: split \w{12}, retriever \w{12}, verifier \w{12}$/);
    const incomplete = await failure(cwd, "eval", "merge", first);
    assert.equal([incomplete.code, incomplete.exit, incomplete.details["missing"]], ["SHARDS_INCOMPLETE", 2, [2]]);
    const [, second = ""] = files;
    const honest = await readFile(join(cwd, second));
    await writeFile(join(cwd, second), forgedShard(honest));
    const forged = await failure(cwd, "eval", "merge", ...files);
    assert.equal([forged.code, forged.details["missing"]], ["SHARDS_INCOMPLETE", [2]]);
    assert.match(forged.message, `${basename(second)}: not authenticated by the key`);
    await writeFile(join(cwd, second), honest);
    const merged = await succeed<Made>(cwd, "eval", "merge", dirname(first));
    await rm(join(cwd, "sluice-workspace"), { recursive: true });
    await fitSmallWorkspace(cwd, tiny);
    const single = await succeed<Made>(cwd, "eval", "run");
    assert.equal([merged.run, merged.document], [single.run, single.document]);
  }));

test("a shard that SIGTERM interrupts ends with 143 and resumes", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const shard = ["eval", "run", "--shard", "1/2", "--shard-folder", "shards"];
    const stopped = await sluice(shard, { cwd, interruptAfter: "scoring", interruptBy: "SIGTERM" });
    assert.is(stopped.code, 143, stopped.stderr);
    assert.match(stopped.stderr, "hint     Resume with: sluice eval run --shard 1/2");
    assert.not.ok(existsSync(join(cwd, "shards")), "nothing half");
    assert.is((await readdir(join(cwd, "sluice-workspace", "unfinished"))).length, 1);
    assert.is((await succeed<{ known: boolean }>(cwd, ...shard)).known, false);
  }));

test("a shard has no gates, and is one of as many parts as there are requests at most", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, tiny);
    for (const given of [["1/2", "--gate", "coverage>=0.5"], ["1/100000"], ["3/2"], ["0/2"]]) {
      const refused = await failure(cwd, "eval", "run", "--shard", ...given);
      assert.equal([refused.code, refused.exit], ["USAGE", 2], given.join(" "));
    }
  }));
