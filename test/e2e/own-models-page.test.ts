import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { probeBody } from "../../stages/demonstration/probe.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { docPage } from "../support/doc-page.js";
import { packageRoot } from "../support/package-root.js";
import { programs, startProgram } from "../support/run-program.js";
import { runPage } from "../support/run-page.js";
import { shared, testWithShared } from "../support/shared.js";
import { pooledExportWithWeightFile, shippedEncoderExport } from "../support/shipped-encoder-export.js";
import { writeExport } from "../support/transformer-exports.js";

const test = suite("e2e/own-models-page");
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
      writeFileSync(join(cwd, "desk.jsonl"), `${lines.filter((_, place) => place % 3 === 0).join("\n")}\n`);
      const smaller = page
        .replace(`node_modules/sluice/${requests}`, "desk.jsonl")
        .replace("--catalogs 40", "--catalogs 12");
      const { text } = await runPage(smaller, cwd);
      const [, alone = ""] = text.split("folder my-models");
      const [, certifying = ""] = /(\d+) requests certify/.exec(alone) ?? [];
      const [, routed = ""] = /claim When Sluice routes .* wrong of (\d+) routed/.exec(alone) ?? [];
      assert.ok(Number(routed) >= 0.4 * Number(certifying), `${routed} of ${certifying} are routed:\n${alone}`);
    }),
);

testWithShared(test, "the commands of the page serve a pooled export with its weights in a separate file", () =>
  inTemporaryFolder(async (cwd) => {
    await writeExport(join(cwd, "my-encoder"), pooledExportWithWeightFile());
    cpSync(shared("models", "interaction-verifier"), join(cwd, "my-verifier"), { recursive: true });
    const [untilReleased = ""] = page.split("## 4.");
    const { text } = await runPage(untilReleased.replace("--pooling mean ", ""), cwd);
    assert.match(text, "model.onnx_data");
    const released = join(cwd, "shop", "sluice-workspace");
    const files = ["--bundle", join(released, "bundle"), "--trust", join(released, "trust.json")];
    const server = startProgram(programs.serve, [...files, "--authorizer", "local", "--port", "0"]);
    try {
      const [, address = ""] = await server.untilStderr(/listens on (http:\S+?):? /);
      const { catalog } = await loadCatalog(join(released, "bundle", bundleFiles.catalog));
      const allowed = catalog.workflows.map(({ workflowId }) => workflowId);
      const response = await fetch(`${address}/v1/route`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(probeBody("my account is locked", catalog.catalogVersion, allowed)),
      });
      const answer = (await response.json()) as { readonly reason_code: string; readonly runtime_mode: string };
      assert.equal([response.status, answer.runtime_mode], [200, "production"]);
      assert.is.not(answer.reason_code, "RUNTIME_INTEGRITY_FAILURE");
    } finally {
      server.child.kill("SIGTERM");
      await server.finished;
    }
  }),
);

test.run();
