import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultPolicy } from "../../src/documents/policy.js";
import type { Run } from "../../src/documents/scored-record.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { encoderExport, scorerExport, writeExport } from "../support/transformer-exports.js";
import { writeSmallDataset } from "./support/small-workspace.js";
import { jsonInWorld } from "./support/test-world.js";

interface Document<T> {
  readonly result: T;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

const json = <T>(...args: readonly string[]) => jsonInWorld<Document<T>>(...args);

/** A folder with a split dataset in `workspace/`, and described models in `encoder/` and `scorer/`. */
async function inJob(body: (folder: string, inWorkspace: readonly string[]) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const workspace = ["--workspace", join(folder, "workspace")];
    await writeSmallDataset(folder, { patterns: false });
    const catalog = join(folder, "catalog.yaml");
    const requests = join(folder, "requests.jsonl");
    await json("dataset", "import", requests, "--format", "jsonl", "--catalog", catalog, ...workspace);
    await json("dataset", "split", ...workspace);
    await writeExport(join(folder, "encoder"), encoderExport());
    await writeExport(join(folder, "scorer"), scorerExport(["entailment", "neutral", "contradiction"]));
    for (const name of ["encoder", "scorer"]) await json("model", "describe", join(folder, name), "--write");
    await body(folder, workspace);
  });
}

test("a run takes model directories and a policy file, stores them, and later runs can name them by id", () =>
  inJob(async (folder, workspace) => {
    const policy = join(folder, "policy.yaml");
    await writeFile(policy, JSON.stringify({ ...defaultPolicy, policy_version: "narrow-1", top_k: 3 }));
    const models = ["--retriever", join(folder, "encoder"), "--verifier", join(folder, "scorer")];
    const args = ["eval", "run", "--policy", policy, ...workspace] as const;
    const first = await json<{ run: string; document: Run }>(...args, ...models);
    assert.is(first.code, 0, JSON.stringify(first.value));
    const { run, document } = first.value.result;
    assert.is(document.top_k, 3);
    assert.match(document.model_version, /^encoder-[0-9a-f]{8}\+scorer-[0-9a-f]{8}$/);

    const log = await json<{ entries: { kind: string; sha256: string }[] }>("history", "log", ...workspace);
    const ids = log.value.result.entries.filter(({ kind }) => kind === "model").map(({ sha256 }) => sha256);
    assert.equal(ids, [document.retriever_sha256, document.verifier_sha256]);
    assert.is(readdirSync(join(folder, "workspace", "vectors")).length, 1);

    const byId = ["--retriever", document.retriever_sha256.slice(0, 12), "--verifier", document.verifier_sha256];
    const again = await json<{ run: string }>(...args, ...byId);
    assert.is(again.value.result.run, run, "the same inputs give the same run");
  }));

test("a model of the other role, a folder without description and an invalid policy are refused before scoring", () =>
  inJob(async (folder, workspace) => {
    const scorer = join(folder, "scorer");
    const swapped = await json("eval", "run", "--retriever", scorer, "--verifier", scorer, ...workspace);
    assert.equal([swapped.code, swapped.value.error?.code], [2, "MODEL_INVALID"]);
    assert.match(swapped.value.error?.message ?? "", /is a verifier, expected a retriever$/);

    const shipped = ["--verifier", join(packageRoot, "models", "default", "verifier")];
    const foreign = await json("eval", "run", "--retriever", join(folder, "encoder"), ...shipped, ...workspace);
    assert.equal([foreign.code, foreign.value.error?.code], [2, "MODEL_INVALID"]);
    assert.match(foreign.value.error?.message ?? "", /^the verifier was fitted on the similarities of the retriever/);
    assert.match(foreign.value.error?.hint ?? "", /sluice model fit .*--retriever DIR/u);

    const undescribed = await json("eval", "run", "--retriever", join(folder, "workspace"), ...workspace);
    assert.equal([undescribed.code, undescribed.value.error?.code], [2, "MODEL_INVALID"]);

    const policy = join(folder, "policy.yaml");
    await writeFile(policy, "policy_version: p\n");
    const models = ["--retriever", join(folder, "encoder"), "--verifier", scorer];
    const refused = await json("eval", "run", "--policy", policy, ...models, ...workspace);
    assert.equal([refused.code, refused.value.error?.code], [2, "DOCUMENT_INVALID"]);
    assert.not.ok(existsSync(join(folder, "workspace", "vectors")));
  }));
