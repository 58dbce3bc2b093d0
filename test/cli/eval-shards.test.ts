import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";
import { fitSmallWorkspace, succeed } from "./support/small-workspace.js";

const test = suite("cli/eval-shards");

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

test("one, three and sixteen shards give the run of one process, byte for byte", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    for (const of of [1, 3, 16]) {
      const merging = join(cwd, `merging-${of}`);
      await cp(join(cwd, "sluice-workspace"), join(merging, "sluice-workspace"), { recursive: true });
      const files = await shardsOf(cwd, of);
      assert.is(files.length, of);
      const merged = await succeed<Made>(merging, "eval", "merge", ...files.toReversed().map((file) => join("..", file)));
      if (of === 16) {
        const single = await succeed<Made>(cwd, "eval", "run");
        for (const made of [1, 3, 16]) {
          const { runs } = await succeed<{ runs: readonly { run: string }[] }>(join(cwd, `merging-${made}`), "eval", "list");
          assert.equal(
            runs.map(({ run }) => run),
            [single.run],
          );
        }
        assert.equal(merged.document, single.document);
      }
    }
  }));

test("shards of a split that leaves relatives out give the run of one process", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, { patterns: false });
    await succeed(cwd, "dataset", "split", "--by", "request", "--seed", "3");
    const files = await shardsOf(cwd, 2);
    const merged = await succeed<Made>(cwd, "eval", "merge", ...files);
    const single = await succeed<Made>(cwd, "eval", "run");
    assert.equal([merged.run, merged.document], [single.run, single.document]);
  }));

test("a shard that was interrupted resumes, and a finished one is not scored again", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const shard = ["eval", "run", "--shard", "1/1", "--shard-folder", "shards"];
    const stopped = await sluice(shard, { cwd, interruptAfter: "scoring" });
    assert.is(stopped.code, 130, stopped.stderr);
    assert.is((await readdir(join(cwd, "sluice-workspace", "unfinished"))).length, 1);
    const { file, known } = await succeed<{ file: string; known: boolean }>(cwd, ...shard);
    assert.is(known, false);
    const bytes = await readFile(join(cwd, file));
    assert.equal((await succeed<{ known: boolean }>(cwd, ...shard)).known, true);
    await writeFile(join(cwd, file), bytes.subarray(0, 100));
    assert.equal((await succeed<{ known: boolean }>(cwd, ...shard)).known, false);
    assert.equal(await readFile(join(cwd, file)), bytes);
    const merged = await succeed<Made>(cwd, "eval", "merge", file);
    assert.equal((await succeed<Made>(cwd, "eval", "run")).run, merged.run);
  }));

test("missing, repeated, damaged and foreign shards are named, all at once", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const files = await shardsOf(cwd, 4);
    const [other = ""] = await shardsOf(cwd, 1);
    const [first = "", second = "", third = ""] = files;
    await cp(join(cwd, first), join(cwd, "copy.shard"));
    const bytes = await readFile(join(cwd, second));
    await writeFile(join(cwd, "cut.shard"), bytes.subarray(0, bytes.length - 9));
    const given = [first, "copy.shard", third, other, "cut.shard"];
    const refused = await failure(cwd, "eval", "merge", ...given);
    assert.equal([refused.code, refused.exit], ["SHARDS_INCOMPLETE", 2]);
    assert.equal(refused.details["missing"], [2, 4]);
    assert.match(refused.message, "4 shards of one run expected; missing: 2, 4; shard 1 given 2 times: ");
    assert.match(refused.message, "copy.shard; of another run: ");
    assert.match(refused.message, "(other number of shards); cut.shard: not a whole shard file");
    assert.is((await failure(cwd, "eval", "merge")).code, "SHARDS_INCOMPLETE");
  }));

test("shards are merged only where their inputs are, and gates are held against the whole run", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd);
    const files = await shardsOf(cwd, 2);
    const gated = await failure(cwd, "eval", "run", "--shard", "1/2", "--gate", "coverage>=0.5");
    assert.equal([gated.code, gated.exit], ["USAGE", 2]);
    assert.is((await failure(cwd, "eval", "run", "--shard", "1/100000")).code, "USAGE");
    assert.is((await failure(cwd, "eval", "run", "--shard", "3/2")).code, "USAGE");
    const elsewhere = join(cwd, "elsewhere");
    await cp(join(cwd, "requests.jsonl"), join(elsewhere, "requests.jsonl"), { recursive: true });
    await cp(join(cwd, "catalog.yaml"), join(elsewhere, "catalog.yaml"));
    await succeed(elsewhere, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const refused = await failure(elsewhere, "eval", "merge", ...files.map((file) => join("..", file)));
    assert.is(refused.code, "RECORD_NOT_FOUND");
    assert.match(refused.message, /the history lacks inputs of these shards: split \w{12}, retriever \w{12}, verifier \w{12}$/);
    await rm(elsewhere, { recursive: true });
  }));

test.run();
