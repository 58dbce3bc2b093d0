import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimSourcesOfBundle } from "../../../stages/reproduce/bundle-sources.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";

test("a bundle without records yields no claim, and the hint says how to export it with records", () =>
  inTemporaryFolder(async (folder) => {
    const { directory } = await writeTestBundle(join(folder, "bundle"));
    const { message, hint } = await rejects(claimSourcesOfBundle({ directory, files: null }), "NOT_REPRODUCIBLE");
    assert.match(message, "the bundle contains no records");
    assert.match(hint ?? "", "sluice bundle export --with-records");
  }));

test("files that are not those of the manifest are named, although no signature is verified", () =>
  inTemporaryFolder(async (folder) => {
    const { directory } = await writeTestBundle(join(folder, "bundle"));
    writeFileSync(join(directory, "calibration.json"), "{}");
    const { message } = await rejects(claimSourcesOfBundle({ directory, files: null }), "HASH_MISMATCH");
    assert.match(message, "calibration.json");
  }));
