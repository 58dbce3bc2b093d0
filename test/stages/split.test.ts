import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as sluice from "../../stages/index.js";

interface Job {
  folder: string;
  workbench: sluice.WorkbenchContext;
}

const test = suite<Job>("stages/split");

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-split-"));
  context.workbench = await sluice.openWorkbench({ folder: join(context.folder, "workspace"), actor: "ann" });
});

test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

/** Two texts of each intent say the same in other words. */
const texts = {
  top_up: [
    "Why was my top up reverted?",
    "The bank gave my top up back, what happened?",
    "Why did my top up get reverted?",
  ],
  identity: [
    "I can't verify identity through the app.",
    "Which documents do you need?",
    "The app is having trouble verifying my identity.",
  ],
  age: ["What is the age limit for an account?", "Can my son have a card?", "What is minimum age for an account?"],
};

test("texts that mean the same are one family only where the texts were generated", async ({ folder, workbench }) => {
  const file = join(folder, "texts.csv");
  const lines = Object.entries(texts).flatMap(([intent, own]) => own.map((text) => `"${text}",${intent}`));
  writeFileSync(file, ["text,intent", ...lines].join("\n"));
  await sluice.createProject(workbench, { folder: join(folder, "router"), source: file, owner: "ann" });
  await sluice.runProject(workbench, { file: join(folder, "router", "sluice.yaml"), until: "import" });

  const written = await sluice.splitDataset(workbench, { by: "request" });
  assert.equal([written.split.families, written.split.alike], [[], undefined]);

  const generated = await sluice.splitDataset(workbench, { by: "request", generatedTexts: true });
  assert.is(generated.split.families.length, 3);
  assert.ok(
    generated.split.alike?.every((keys) => keys.length === 2 && keys.every((key) => /^[0-9a-f]{16}$/.test(key))),
  );
  assert.is.not(generated.splitId, written.splitId);

  const again = await sluice.splitDataset(workbench, { by: "request", generatedTexts: true });
  assert.is(again.splitId, generated.splitId);
  const { audit } = await sluice.auditDataset(workbench, {});
  assert.is(audit.findings.find(({ check }) => check === "fold_leakage")?.passed, true);
});

test.run();
