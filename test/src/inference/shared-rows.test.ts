import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import wabt from "wabt";
import { kernelsProgram } from "../../../src/inference/shared-memory.js";
import { SharedRows } from "../../../src/inference/shared-rows.js";
import { assert, packageRoot, test } from "../../support/test.js";

function rowsOf(count: number, columns: number): SharedRows {
  const rows = SharedRows.ofSize(count, columns);
  for (let i = 0; i < rows.values.length; i += 1) rows.values[i] = Math.sin(1 + i);
  return rows;
}

test("the program is what its readable source says", async () => {
  const source = readFileSync(join(packageRoot, "src/inference/kernels.wat"), "utf8");
  const module = (await wabt()).parseWat("kernels.wat", source, { simd: true, threads: true });
  assert.ok(kernelsProgram.equals(module.toBinary({}).buffer));
});

test("products are inner products for every number of columns and any part of the rows", () => {
  const size = fc.integer({ min: 1, max: 70 });
  fc.assert(
    fc.property(size, fc.integer({ min: 1, max: 9 }), fc.nat(8), fc.nat(9), (columns, count, from, to) => {
      const rows = rowsOf(count, columns);
      const vector = Float32Array.from({ length: columns }, (_, d) => Math.cos(d));
      const [first, last] = [Math.min(from, count), Math.min(to, count)];
      const found = new Float32Array(Math.max(0, last - first));
      rows.products(vector, first, last, found);
      for (const [place, product] of found.entries()) {
        const expected = rows.row(first + place).reduce((sum, value, d) => sum + value * (vector[d] ?? 0), 0);
        assert.ok(Math.abs(product - expected) < 1e-5);
      }
    }),
  );
});

test("the products of a row do not depend on the rows that are asked for with it", () => {
  const rows = rowsOf(50, 33);
  const all = new Float32Array(50);
  rows.products(rows.row(7), 0, 50, all);
  for (let row = 0; row < 50; row += 1) {
    const one = new Float32Array(1);
    rows.products(rows.row(7), row, row + 1, one);
    assert.is(one[0], all[row]);
  }
});

test("threads read the same rows and disturb neither them nor each other", async () => {
  const rows = rowsOf(2000, 20);
  const before = rows.values.slice();
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { rowsModule, memoryModule, shared } = workerData;
    Promise.all([import(rowsModule), import(memoryModule)]).then(([{ SharedRows }, { SharedMemory }]) => {
      const rows = new SharedRows(shared, new SharedMemory(shared.memory));
      const found = new Float32Array(rows.rows);
      for (let turn = 0; turn < 200; turn += 1) rows.products(rows.row(workerData.row), 0, rows.rows, found);
      parentPort.postMessage(found);
    });`;
  const moduleAt = (name: string): string => new URL(`../../../src/inference/${name}.js`, import.meta.url).href;
  const modules = { rowsModule: moduleAt("shared-rows"), memoryModule: moduleAt("shared-memory") };
  const found = await Promise.all(
    [3, 1500].map(
      (row) =>
        new Promise<Float32Array>((resolve, reject) => {
          const thread = new Worker(program, { eval: true, workerData: { ...modules, shared: rows.toShare, row } });
          thread.once("message", resolve).once("error", reject);
        }),
    ),
  );
  for (const [place, row] of [3, 1500].entries()) {
    const alone = new Float32Array(rows.rows);
    rows.products(rows.row(row), 0, rows.rows, alone);
    assert.equal(found[place], alone);
  }
  assert.equal(rows.values.slice(), before);
});
