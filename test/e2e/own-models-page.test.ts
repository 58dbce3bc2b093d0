import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, shared, test, testWithShared } from "../support/test.js";
import { succeed } from "../cli/support/small-workspace.js";
import { docPage } from "../support/doc-page.js";
import { runPage } from "../support/run-page.js";
import { pooledExportWithWeightFile, shippedEncoderExport } from "../support/shipped-encoder-export.js";
import { writeExport } from "../support/transformer-exports.js";

const page = docPage("how-to/bring-your-own-model.md");

testWithShared(
  test,
  "the page about own models leads to an approved bundle, and an encoder alone to a router that routes",
  () =>
    inTemporaryFolder(async (cwd) => {
      mkdirSync(join(cwd, "node_modules"));
      symlinkSync(packageRoot, join(cwd, "node_modules", "sluice"));
      await writeExport(join(cwd, "my-encoder"), shippedEncoderExport());
      cpSync(shared("models", "interaction-verifier"), join(cwd, "my-verifier"), { recursive: true });
      const requests = join("datasets", "service-desk", "requests.jsonl");
      const lines = readFileSync(join(packageRoot, requests), "utf8").trimEnd().split("\n");
      writeFileSync(join(cwd, "desk.jsonl"), `${lines.filter((_, place) => place % 7 === 0).join("\n")}\n`);
      const smaller = page
        .replace(`node_modules/sluice/${requests}`, "desk.jsonl")
        .replace("--catalogs 20", "--catalogs 3");
      const { text } = await runPage(smaller, cwd);
      const [, alone = ""] = text.split("folder my-models");
      const [, certifying = ""] = /(\d+) certification requests/.exec(alone) ?? [];
      const [, routed = ""] = /claim When Sluice routes .* wrong of (\d+) routed/.exec(alone) ?? [];
      assert.ok(Number(routed) >= 0.4 * Number(certifying), `${routed} of ${certifying} are routed:\n${alone}`);
    }),
);

testWithShared(test, "a pooled export with its weights in a separate file is described, checked, and answers", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "my-encoder"), pooledExportWithWeightFile());
    cpSync(shared("models", "interaction-verifier"), join(cwd, "my-verifier"), { recursive: true });
    const [untilChecked = ""] = page.split("## 2.");
    const { text } = await runPage(untilChecked.replace("--pooling mean ", ""), cwd);
    assert.match(text, "model.onnx_data");
    const tools = join(packageRoot, "test", "fixtures", "office-tools.json");
    const models = ["--retriever", "my-encoder", "--verifier", "my-verifier"];
    await succeed(cwd, "init", tools, "--into", "office", ...models);
    await succeed(cwd, "run", "-C", "office");
    const asked = await succeed<Asked>(cwd, "route", "-C", "office", "--text", "i am ill today", "--explain");
    assert.ok(asked.response.candidates?.some(({ workflow_id: id }) => id === "report_sick"));
  }),
);

interface Asked {
  readonly response: { readonly candidates: readonly { readonly workflow_id: string }[] | null };
}
