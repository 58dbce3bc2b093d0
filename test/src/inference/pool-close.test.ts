import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { within } from "../../../src/documents/run-scope.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { assert, packageRoot, rejects, test } from "../../support/test.js";
import { closeUnderLoadInChild } from "../../support/close-under-load.js";
import { loadGraph, runMatrix } from "../../support/inference.js";
import { column, double, doubling, loadStall, turn } from "../../support/pools.js";

test("closing lets accepted runs finish, may be repeated, and refuses later work", async () => {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  const twice = await loadGraph(pool, doubling);
  const accepted = runMatrix(twice, column(5));
  await Promise.all([pool.close(), pool.close()]);
  assert.equal([...(await accepted).values], [10]);
  await rejects(runMatrix(twice, column(1)), "MODEL_RUN_FAILED");
  await rejects(loadGraph(pool, doubling), "MODEL_RUN_FAILED");
  await pool.close();
});

test("closing waits for a stalled run, lets waiting jobs expire, and answers the others", async () => {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  const twice = await loadGraph(pool, doubling);
  const stall = await loadStall(pool, 1200);
  const scope = within(50, { now: () => performance.now() }, null);
  const expired = [rejects(stall(scope), "DEADLINE_EXCEEDED"), rejects(double(twice, 1, scope), "DEADLINE_EXCEEDED")];
  const answered = double(twice, 4);
  await turn();
  const closed = pool.close();
  await Promise.all(expired);
  assert.is(pool.statistics().underWay, 1, "the stall goes on");
  assert.is(await answered, 8);
  await closed;
  assert.is(pool.statistics().workersReady, 0);
});

test("a load that was accepted before the pool is closed is finished", async () => {
  const pool = new InferencePool({ workers: 2, queueLimit: 1 });
  const load = loadGraph(pool, doubling);
  await pool.close();
  assert.is((await load).model, 1);
});

test("a pool that is closed as soon as it is made ends", async () => {
  await new InferencePool({ workers: 2, queueLimit: 1 }).close();
});

test("10 of 10 processes that close a pool under load end with exit code 0, every call answered", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { code, stdout, stderr } = await closeUnderLoadInChild();
    assert.is(stderr, "");
    assert.is(code, 0);
    const { underWay, answered, expired } = JSON.parse(stdout) as Readonly<Record<string, number>>;
    assert.is(underWay, 2, "both threads were inside a run");
    assert.is((answered ?? 0) + (expired ?? 0), 24);
    assert.ok((answered ?? 0) >= 16);
  }
});

/** Runs a module in a separate process, with the compiled inference folder as its first argument. */
function runProgram(folder: string, lines: readonly string[]) {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-pool-")), "program.mjs");
  writeFileSync(file, lines.join("\n"));
  try {
    return spawnSync(process.execPath, [file, folder], { encoding: "utf8", timeout: 60_000 });
  } finally {
    rmSync(join(file, ".."), { recursive: true });
  }
}

const preamble = [
  "const [folder] = process.argv.slice(2);",
  "const { InferencePool } = await import(`${folder}/pool.js`);",
  "const pool = new InferencePool({ workers: 2, queueLimit: 8 });",
];

test("a process that closes its pool ends with exit code 0", () => {
  const { status, stdout, stderr } = runProgram(join(packageRoot, "dist/src/inference"), [
    ...preamble,
    `const bytes = Buffer.from("${doubling.toString("base64")}", "base64");`,
    "const model = await pool.load({ kind: 'graph', graph: { bytes, externalData: [] } });",
    "const scope = { remainingMs: () => Infinity, signal: null, alone: true, clocks: null };",
    "const matrix = { rows: 1, columns: 1, values: Float32Array.of(21) };",
    "const run = model.run({ kind: 'matrix', matrix }, scope);",
    "await pool.close();",
    "console.log((await run).matrix.values[0]);",
  ]);
  assert.is(stderr, "");
  assert.is(stdout.trim(), "42");
  assert.is(status, 0);
});

test("threads that cannot start fail every load, and closing still ends", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-no-runtime-"));
  try {
    for (const folder of ["base", "documents", "inference"]) {
      cpSync(join(packageRoot, "dist/src", folder), join(copy, folder), { recursive: true });
    }
    writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
    const { status, stdout } = runProgram(join(copy, "inference"), [
      ...preamble,
      "const load = () => pool.load({ kind: 'graph', graph: { bytes: new Uint8Array(1), externalData: [] } }).then(() => 'loaded', (error) => error.code);",
      "console.log(await load());",
      "console.log(await load());",
      "await pool.close();",
      "console.log('closed');",
    ]);
    assert.equal(stdout.trim().split("\n"), ["MODEL_RUN_FAILED", "MODEL_RUN_FAILED", "closed"]);
    assert.is(status, 0);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
