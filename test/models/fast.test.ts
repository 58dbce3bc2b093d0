import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
/** The fast models: their table is what its build recorded, and scores are equal bit for bit in every process. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { unbounded } from "../../src/documents/run-scope.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { CandidateScorer } from "../../src/router/candidate-scorer.js";
import { loadModels } from "../../src/router/load-models.js";
import { parseRetrieverModel } from "../../src/router/retrieval/parse-retriever.js";
import { loadTextEncoder } from "../../src/router/retrieval/text-encoder.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { succeed } from "../cli/support/small-workspace.js";
import { sluiceProgram } from "../cli/support/sluice.js";
import { aPolicy, aRouteRequest } from "../support/builders.js";
import { withPool } from "../support/pools.js";
import { serviceDeskCatalog } from "../support/service-desk.js";

const folder = join(packageRoot, "models", "fast");
const filesOf = async (role: string) => (await readDirectory(join(folder, role))).files;
const json = <T>(...path: readonly string[]): T => JSON.parse(readFileSync(join(packageRoot, ...path), "utf8")) as T;

test("a digest of the build report is that of the shipped file", () => {
  const report = json<{ readonly out: Readonly<Record<string, string>> }>("models", "build", "fast.json");
  assert.equal(Object.keys(report.out).sort(), ["vectors.onnx", "vocabulary.txt"]);
  for (const [file, sha256] of Object.entries(report.out)) {
    assert.is(sha256Hex(readFileSync(join(folder, "retriever", file))), sha256, file);
  }
});

test("both models together are smaller than 12 MiB", () => {
  const { files } = json<{ readonly files: readonly { readonly bytes: number }[] }>(
    "models",
    "fast",
    "model_card.json",
  );
  assert.ok(files.reduce((sum, { bytes }) => sum + bytes, 0) < 12 * 2 ** 20);
});

test("the table gives the embeddings that its build computed in another language", async () => {
  const { texts, vectors } = json<{
    readonly texts: readonly string[];
    readonly vectors: readonly (readonly number[])[];
  }>("models", "build", "fast-reference-embeddings.json");
  const files = await filesOf("retriever");
  await withPool({}, async (pool) => {
    const encoder = await loadTextEncoder(files, parseRetrieverModel(files), pool);
    assert.ok(texts.length > 5);
    for (const [place, text] of texts.entries()) {
      const { vector, truncated } = (await encoder?.encode(text, unbounded)) ?? {};
      const differences = (vectors[place] ?? []).map((value, d) => Math.abs(value - (vector?.[d] ?? Number.NaN)));
      assert.is(differences.length, encoder?.dimensions, text);
      assert.ok(Math.max(...differences) < 2e-6, text);
      assert.is(truncated, false);
    }
  });
});

test("texts without a known word are declined", async () => {
  const catalog = await serviceDeskCatalog();
  const sources = { retrieverFiles: await filesOf("retriever"), verifierFiles: await filesOf("verifier") };
  const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 8 });
  try {
    const scorer = new CandidateScorer({ catalog, policy: aPolicy(), ...models, now: () => 0 });
    const allowedWorkflowIds = catalog.workflows.map(({ workflow_id: workflowId }) => workflowId);
    for (const text of ["🙂", "?!...", "请帮我重置密码", "a".repeat(8000), "zxqv brrgl wnnkp ".repeat(400)]) {
      const { candidates } = await scorer.score({ ...aRouteRequest(), text, allowed_workflow_ids: allowedWorkflowIds });
      assert.ok((topEligible(identityCurve, candidates)?.confidence ?? 0) < 0.5, text.slice(0, 20));
    }
  } finally {
    await models.close();
  }
});

interface Routed {
  readonly result: {
    readonly response: {
      readonly workflow_id: string | null;
      readonly model_version: string;
      /** Scores of every candidate as doubles, which JSON keeps bit for bit. */
      readonly candidates: readonly { readonly retrieval_score: number; readonly executable_score: number }[];
    };
  };
}

test("a project of init --models fast routes, and two processes give the same scores bit for bit", () =>
  inTemporaryFolder(async (cwd) => {
    const example = join(packageRoot, "datasets/example/support-requests.csv");
    await succeed(cwd, "init", example, "--into", "shop", "--owner", "support", "--models", "fast", "--yes");
    const project = await readFile(join(cwd, "shop", "sluice.yaml"), "utf8");
    assert.match(project, /retriever: shipped-fast {2}#/);
    assert.match(project, /verifier: shipped-fast$/m);
    const routed = async (): Promise<Routed["result"]["response"]> => {
      const asked = ["--text", "please cancel my order, I ordered twice", "--explain", "--json"];
      const { code, stdout, stderr } = await sluiceProgram(["route", "-C", "shop", ...asked], { cwd });
      assert.is(code, 0, stderr);
      return (JSON.parse(stdout) as Routed).result.response;
    };
    const [first, second] = [await routed(), await routed()];
    assert.match(first.model_version, /^words-256-int8-1\+/);
    assert.is(first.workflow_id, "cancel_order");
    assert.ok(first.candidates.length >= 8);
    assert.equal(second.candidates, first.candidates);
  }));
