import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sluice from "../../stages/index.js";
import { assert, rejects, testWith } from "../support/test.js";

interface Job {
  folder: string;
  workbench: sluice.WorkbenchContext;
}

const test = testWith<Job>();

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
  await sluice.createProject(workbench, { into: join(folder, "router"), source: file, owner: "ann" });
  await sluice.runProject(workbench, { file: join(folder, "router", "sluice.yaml"), until: "import" });

  const written = await sluice.splitDataset(workbench, { by: "request" });
  assert.equal([written.document.families, written.document.alike], [[], undefined]);

  const generated = await sluice.splitDataset(workbench, { by: "request", generatedTexts: true });
  assert.is(generated.document.families.length, 3);
  assert.ok(
    generated.document.alike?.every((keys) => keys.length === 2 && keys.every((key) => /^[0-9a-f]{16}$/.test(key))),
  );
  assert.is.not(generated.split, written.split);

  const again = await sluice.splitDataset(workbench, { by: "request", generatedTexts: true });
  assert.is(again.split, generated.split);
  const { audit } = await sluice.auditDataset(workbench, {});
  assert.is(audit.findings.find(({ check }) => check === "fold_leakage")?.passed, true);
});

test("a withdrawn label may name a removed workflow; the split states it only while the data does", async ({
  folder,
  workbench,
}) => {
  const requests = join(folder, "router", "requests.jsonl");
  const written = readFileSync(requests, "utf8");
  const statesIt = async (lines: string) => {
    writeFileSync(requests, lines);
    const file = join(folder, "router", "sluice.yaml");
    const { steps } = await sluice.runProject(workbench, { file, until: "split" });
    return steps.some(({ summary }) => summary.includes("1 label is withdrawn"));
  };
  const line = JSON.stringify({ id: "old", text: "Close my card", workflow_id: "close_card", withdrawn: "a joke" });
  assert.is(await statesIt(`${written}${line}\n`), true);
  assert.is(await statesIt(written), false);
  const live = JSON.stringify({ id: "new", text: "Close my card", workflow_id: "close_card" });
  const { message } = await rejects(statesIt(`${written}${live}\n`), "DOCUMENT_INVALID");
  assert.match(message, "request new has the workflow close_card, which is missing from");
});
