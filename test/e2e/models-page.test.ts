import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultPolicy } from "../../src/documents/policy.js";
import { readPolicyFile } from "../../store/read-policy.js";
import { assert, inTemporaryFolder, shared, test, testWithShared } from "../support/test.js";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, docPage } from "../support/doc-page.js";

const page = docPage("how-to/models.md");

/** Lines of all shell blocks, in order. */
const lines = codeBlocks(page, "sh").flatMap((block) => block.trim().split("\n"));
const [policy = ""] = codeBlocks(docPage("reference/files.md"), "yaml");

const outputs = codeBlocks(page, "text").map((block) => block.trim().split("\n"));

test("the policy of the page about files is read as the default policy with more candidates", () =>
  inTemporaryFolder(async (cwd) => {
    writeFileSync(join(cwd, "policy.yaml"), policy);
    const wide = await readPolicyFile(join(cwd, "policy.yaml"));
    assert.equal(wide, { ...defaultPolicy, policy_version: "wide-1", top_k: 12 });
  }));

/** A line without the widths of columns. */
const plain = (line: string): string => line.replaceAll(/ {2,}/g, "  ").trim();

testWithShared(test, "the outputs of the page are what the commands print", () =>
  inTemporaryFolder(async (cwd) => {
    cpSync(shared("models", "tiny-bert-retriever"), join(cwd, "my-encoder"), { recursive: true });
    const open = await sluice(["model", "describe", "my-encoder"], { cwd });
    assert.is(open.code, 3);
    const written = await sluice(["model", "describe", "my-encoder", "--pooling", "mean", "--write"], { cwd });
    const printed = [open, written].map(({ stdout }) => stdout.split("\n").map(plain));
    assert.is(outputs.length, printed.length);
    for (const [index, output] of outputs.entries()) {
      const shown = output.map(plain).filter((line) => line !== "...");
      for (const line of shown) assert.ok(printed[index]?.includes(line), line);
    }
    const digest = / ([0-9a-f]{64}) with this description/.exec(written.stdout)?.[1];
    const line = lines.find((one) => one.startsWith("cd my-encoder")) ?? "";
    const { stdout } = spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" });
    assert.is(stdout.slice(0, 64), digest);
  }),
);
