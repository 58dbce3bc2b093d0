import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { docPage } from "../support/doc-page.js";
import { packageRoot } from "../support/package-root.js";
import { runPage } from "../support/run-page.js";
import { shared, testWithShared } from "../support/shared.js";
import { shippedEncoderExport } from "../support/shipped-encoder-export.js";
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

test.run();
