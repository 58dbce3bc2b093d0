import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { sluice } from "../cli/support/sluice.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";

const smallCatalog = docSection(docPage("how-to/choose-a-claim.md"), "A small catalog");

test("a small catalog goes from a spreadsheet to a certified claim, and the page shows the printed output", () =>
  inTemporaryFolder(async (cwd) => {
    await symlink(join(packageRoot, "datasets"), join(cwd, "datasets"));
    const lines = codeBlocks(smallCatalog, "sh").flatMap((block) => block.trim().split("\n"));
    assert.is(lines.length, 2);
    const printed: string[] = [];
    for (const line of lines) {
      const [program, ...args] = line.split(" ");
      assert.is(program, "sluice");
      const { code, stdout, stderr } = await sluice(args, { cwd });
      assert.is(code, 0, `${line}: ${stderr}`);
      printed.push(stdout);
    }
    const output = printed.join("\n").replaceAll(/ {2,}/g, "  ");
    for (const line of codeBlocks(smallCatalog, "text").join("").trim().split("\n")) {
      assert.ok(output.includes(line.replaceAll(/ {2,}/g, "  ")), line);
    }
  }));
