import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readProject } from "../../../store/project/project-file.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

const project = (claim: string, more = ""): string => `schema_version: 1
name: home
catalog: catalog.yaml
requests: requests.jsonl
models: { retriever: shipped, verifier: shipped }
claim: { population: this_catalog, target: auto, confidence: 0.95, ${claim} }
seed: 1
${more}`;

test("a project with a claim for each language is refused if it also has what has one test for all of them", () =>
  inTemporaryFolder(async (folder) => {
    const file = join(folder, "sluice.yaml");
    const written = async (claim: string, more = "") => {
      await writeFile(file, project(claim, more));
      return readProject(file);
    };
    assert.is((await written("require_slices: language")).claim.require_slices, "language");
    await rejects(written("require_slices: language, require_tiers: { high: 0.02 }"), "DOCUMENT_INVALID");
    for (const more of ["follow_ups: follow-ups.jsonl\n", "log: log.jsonl\n"]) {
      await rejects(written("require_slices: language", more), "DOCUMENT_INVALID");
    }
    assert.is((await written("languages: [de]", "log: log.jsonl\n")).log, join(folder, "log.jsonl"));
  }));
