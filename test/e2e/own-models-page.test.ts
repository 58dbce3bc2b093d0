import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { docPage } from "../support/doc-page.js";
import { packageRoot } from "../support/package-root.js";
import { runPage } from "../support/run-page.js";
import { shared, testWithShared } from "../support/shared.js";
import { pooledExportWithWeightFile, shippedEncoderExport } from "../support/shipped-encoder-export.js";
import { writeExport } from "../support/transformer-exports.js";

const test = suite("e2e/own-models-page");

testWithShared(
  test,
  "the page about own models leads to an approved bundle, and an encoder alone to a router that routes",
  () =>
    inTemporaryFolder(async (cwd) => {
      mkdirSync(join(cwd, "node_modules"));
      symlinkSync(packageRoot, join(cwd, "node_modules", "sluice"));
      await writeExport(join(cwd, "my-encoder"), shippedEncoderExport());
      cpSync(shared("models", "interaction-verifier"), join(cwd, "my-verifier"), { recursive: true });
      const { text } = await runPage(docPage("how-to/bring-your-own-model.md"), cwd);
      const [, alone = ""] = text.split("folder my-models");
      const [, certifying = ""] = /(\d+) requests certify/.exec(alone) ?? [];
      const [, routed = ""] = /claim When Sluice routes .* wrong of (\d+) routed/.exec(alone) ?? [];
      assert.ok(Number(routed) >= 0.4 * Number(certifying), `${routed} of ${certifying} are routed:\n${alone}`);
    }),
);

testWithShared(test, "the commands of the page serve a pooled export with its weights in a file of their own", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "my-encoder"), pooledExportWithWeightFile());
    cpSync(shared("models", "interaction-verifier"), join(cwd, "my-verifier"), { recursive: true });
    cpSync(shared("field", "cases", "single-intent", "train.csv"), join(cwd, "requests.csv"));
    const [untilReleased = ""] = docPage("how-to/bring-your-own-model.md").split("## 4.");
    const page = untilReleased
      .replace("init --into", "init requests.csv --into")
      .replace(
        "bundle verify -C shop",
        "bundle verify -C shop\nnpx sluice serve -C shop --port 8080\ncurl -s http://127.0.0.1:8080/v1/route",
      );
    const { text } = await runPage(page, cwd);
    assert.match(text, "external data model.onnx_data");
  }),
);

test.run();
