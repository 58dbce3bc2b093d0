import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { availableMemory } from "../../../serve/control/available-memory.js";
import { memoryNeed, requireMemory } from "../../../serve/control/require-memory.js";
import { inTemporaryFolder } from "../../support/builders-artifacts.js";
import { rejects } from "../../support/rejects.js";

const test = suite("serve/control/memory");

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

test.run();
