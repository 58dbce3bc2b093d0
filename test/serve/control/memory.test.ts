import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { availableMemory, memoryNeed, requireMemory } from "../../../serve/control/require-memory.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { docPage } from "../../support/doc-page.js";
import { runProgram } from "../../support/run-program.js";

const mega = 1024 ** 2;

/** Files as the kernel shows them, below another root. */
function machine(root: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("what the machine has counts where no limit is set", () =>
  inTemporaryFolder(async (root) => {
    assert.is(await availableMemory(root, () => 7), 7);
    machine(root, { "proc/meminfo": "MemTotal: 9999 kB\nMemAvailable:    2048 kB\n" });
    assert.is(await availableMemory(root, () => 7), 2 * mega);
    machine(root, { "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "5\n" });
    assert.is(await availableMemory(root, () => 7), 2 * mega);
  }));

test("a limit of the control group counts without what only caches files", () =>
  inTemporaryFolder(async (root) => {
    machine(root, {
      "proc/meminfo": "MemAvailable:    2048 kB\n",
      "sys/fs/cgroup/memory.max": `${10 * mega}\n`,
      "sys/fs/cgroup/memory.current": `${9.5 * mega}\n`,
      "sys/fs/cgroup/memory.stat": `anon 1\ninactive_file ${mega / 4}\nactive_file 3\n`,
    });
    assert.is(await availableMemory(root, () => 7), 0.75 * mega);
  }));

test("a bundle needs more with more bytes and more workers, and is refused just above what is left", () =>
  inTemporaryFolder(async (directory) => {
    writeFileSync(join(directory, "model.bin"), Buffer.alloc(1000));
    const need = memoryNeed(1000, 2);
    assert.ok(need > memoryNeed(1000, 1) && memoryNeed(1000, 1) > memoryNeed(0, 1));
    await requireMemory({ directory, workers: 2, available: async () => need });
    const refused = requireMemory({ directory, workers: 2, available: async () => need - 1 });
    const { details } = await rejects(refused, "MEMORY_LIMIT");
    assert.equal(details, { neededBytes: need, availableBytes: need - 1 });
  }));

test("the stored index counts once for all threads", () =>
  inTemporaryFolder(async (directory) => {
    writeFileSync(join(directory, "model.bin"), Buffer.alloc(1000));
    mkdirSync(join(directory, "index"));
    writeFileSync(join(directory, "index", "vectors"), Buffer.alloc(5000));
    const need = memoryNeed(1000, 4, 5000);
    assert.is(need - memoryNeed(1000, 4), memoryNeed(1000, 1, 5000) - memoryNeed(1000, 1));
    await requireMemory({ directory, workers: 4, available: async () => need });
    await rejects(requireMemory({ directory, workers: 4, available: async () => need - 1 }), "MEMORY_LIMIT");
  }));

const program = fileURLToPath(new URL("../../support/thread-memory-program.js", import.meta.url));

/** Resident bytes of a process with so many scoring threads that hold a matrix of this size. */
async function residentBytes(workers: number, size: number): Promise<number> {
  const { code, stdout, stderr } = await runProgram(program, [String(workers), String(size)]);
  assert.is(code, 0, stderr);
  return Number(stdout);
}

test("every thread holds its own copy of a model, and takes no more than a server requires", async () => {
  const size = 4000;
  const modelBytes = 4 * size * size;
  const [one, two] = [await residentBytes(1, size), await residentBytes(2, size)];
  const growth = two - one;
  assert.ok(growth > 0.8 * modelBytes, `${growth} bytes for a model of ${modelBytes}: shared after all?`);
  assert.ok(growth < memoryNeed(modelBytes, 2) - memoryNeed(modelBytes, 1), `${growth} bytes`);
});

test("the sizing page states what the server requires", () => {
  const [, each = "", times = ""] =
    /plan their size, plus (\d+) MiB and (\d+) times that size for each thread/u.exec(docPage("how-to/deploy.md")) ??
    [];
  const need = (bytes: number, workers: number): number => memoryNeed(bytes, workers) - memoryNeed(bytes, workers - 1);
  assert.is(need(0, 2), Number(each) * mega);
  assert.is(need(mega, 2) - need(0, 2), Number(times) * mega);
});
