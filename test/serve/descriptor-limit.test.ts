import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectionsWithin, descriptorLimit } from "../../serve/descriptor-limit.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";

const limits = (open: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units
Max processes             7                    8                    processes
Max open files            ${open}                 1048576              files
`;

test("the soft limit counts; a system that does not say has none", () =>
  inTemporaryFolder(async (root) => {
    assert.is(await descriptorLimit(root), null);
    mkdirSync(join(root, "proc/self"), { recursive: true });
    writeFileSync(join(root, "proc/self/limits"), limits("400"));
    assert.is(await descriptorLimit(root), 400);
    writeFileSync(join(root, "proc/self/limits"), limits("unlimited"));
    assert.is(await descriptorLimit(root), null);
  }));

test("connections leave descriptors for everything else, and have a lower and an upper bound", () => {
  assert.is(connectionsWithin(400), 272);
  assert.is(connectionsWithin(1024), 896);
  assert.is(connectionsWithin(1_048_576), 4096);
  assert.is(connectionsWithin(100), 16);
});
