/** What the specification says about the start of a production router, with real bundles. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelFileName } from "../../../src/router/retrieval/model-files.js";
import { loadProductionRouter } from "../../../serve/index.js";
import { assert, pluck, rejects, testWith } from "../../support/test.js";
import { bundleOptions, writeReleased } from "../support/released-bundle.js";

const test = testWith<{ folder: string }>();

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-start-"));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const modelOptions = ["retrieverModel", "verifierModel"] as const;

for (const option of modelOptions) {
  test(`${option}: the name or the address of a remote model is refused`, async ({ folder }) => {
    await writeReleased(folder);
    for (const remote of ["example/encoder-small", "https://models.example/encoder", "hf://example/encoder"]) {
      const options = { ...bundleOptions(folder), [option]: remote };
      const error = await rejects(loadProductionRouter(options), "FILE_NOT_FOUND");
      assert.ok(error.message.includes(option), error.message);
    }
  });

  test(`${option}: a single file is no model directory`, async ({ folder }) => {
    await writeReleased(folder);
    const options = bundleOptions(folder);
    const directory = options[option];
    const error = await rejects(
      loadProductionRouter({ ...options, [option]: join(directory, modelFileName) }),
      "PRODUCTION_CONFIGURATION",
    );
    assert.ok(error.message.includes(option), error.message);
    const file = `${directory}-file`;
    renameSync(join(directory, modelFileName), file);
    rmSync(directory, { recursive: true });
    renameSync(file, directory);
    await rejects(loadProductionRouter(options), "FILE_NOT_FOUND");
  });

  test(`${option}: every file of the directory is verified before anything is loaded`, async ({ folder }) => {
    await writeReleased(folder);
    const directory = bundleOptions(folder)[option];
    const extra = join(directory, "extra.bin");
    writeFileSync(extra, "not signed");
    await rejects(loadProductionRouter(bundleOptions(folder)), "FILE_EXTRA");
    rmSync(extra);
    rmSync(join(directory, modelFileName));
    await rejects(loadProductionRouter(bundleOptions(folder)), "FILE_MISSING");
  });
}

test("a retriever without production capability is refused", async ({ folder }) => {
  await writeReleased(folder, {
    files: (files) => {
      const name = `models/retriever/${modelFileName}`;
      const text = String(files.get(name));
      files.set(name, Buffer.from(text.replace('"capability":"production"', '"capability":"development"')));
    },
  });
  const error = await rejects(loadProductionRouter(bundleOptions(folder)), "PRODUCTION_CONFIGURATION");
  const reasons = error.details?.["reasons"] as readonly { readonly message: string }[];
  assert.equal(pluck(reasons, "message"), ["the retriever lexical-1 declares development capability"]);
});

test("a start fails without a manifest, and without the operator's files", async ({ folder }) => {
  for (const part of ["manifest.dsse.json", "catalog.yaml", "calibration.json", "models/retriever"]) {
    await writeReleased(folder);
    rmSync(join(folder, "bundle", part), { recursive: true });
    await rejects(loadProductionRouter(bundleOptions(folder)), "FILE_NOT_FOUND");
  }
});
