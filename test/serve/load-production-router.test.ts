import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { BundleId } from "../../src/documents/primitives.js";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "../../src/documents/signed.js";
import { SluiceError } from "../../src/base/error.js";
import { usualThreads } from "../../src/inference/usual-threads.js";
import {
  type BundleSteps,
  createBundleLoader,
  type ProductionRouterOptions,
} from "../../serve/load-production-router.js";
import { assert, rejects, testWith } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { RecordingSink } from "./support/http.js";

const test = testWith<{ directory: string }>();

const parts = {
  manifest: "manifest.dsse.json",
  catalog: "catalog.yaml",
  calibration: "calibration.json",
  policy: "policy.json",
  golden: "golden.json",
  retriever: "models/retriever",
  verifier: "models/verifier",
};
/** The two values of a manifest that the loader compares. */
const manifest = { top_k: 8, exact_events: { enabled: false, allowed_tiers: [] } } as unknown as Manifest;
const now = new Date("2026-01-02T03:04:05Z");

test.before.each((context) => {
  context.directory = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
  for (const part of [parts.retriever, parts.verifier]) mkdirSync(join(context.directory, part), { recursive: true });
  for (const part of [parts.manifest, parts.catalog, parts.calibration, parts.policy, parts.golden]) {
    writeFileSync(join(context.directory, part), part);
  }
  writeFileSync(join(context.directory, "trust.json"), "trust bytes");
});
test.after.each((context) => rmSync(context.directory, { recursive: true }));

type Steps = BundleSteps<{ readonly manifest: Manifest }>;

function recorder(router = fixtureRouter()) {
  const verified: Parameters<Steps["verify"]>[0][] = [];
  const built: Parameters<Steps["createRouter"]>[1][] = [];
  const states: string[] = [];
  const steps: Steps = {
    parts,
    verify: async (options) => {
      verified.push(options);
      return { manifest };
    },
    verifyAgain: async (options) => {
      verified.push(options);
      return { manifest };
    },
    findReasons: async () => [],
    checkState: async (path) => async () => {
      states.push(path);
    },
    raiseSeen: async () => undefined,
    verifiedList: () => null,
    createRouter: async (_verified, options) => {
      built.push(options);
      return router;
    },
  };
  return { verified, built, states, loader: createBundleLoader(steps) };
}

function paths(directory: string): ProductionRouterOptions {
  return {
    artifactManifestPath: join(directory, parts.manifest),
    catalogPath: join(directory, parts.catalog),
    calibrationPath: join(directory, parts.calibration),
    retrieverModel: join(directory, parts.retriever),
    verifierModel: join(directory, parts.verifier),
    trustPolicyPath: join(directory, "trust.json"),
    clock: () => now,
  };
}

test("a backend failure of the router reaches the telemetry by its code", async ({ directory }) => {
  const { loader, built } = recorder();
  const telemetry = new RecordingSink();
  await loader.loadBundle({ bundle: directory, trust: join(directory, "trust.json"), telemetry });
  built[0]?.onBackendError({ request_id: "r1", error_code: "SERVER_OVERLOADED", bundle_id: "b1" as BundleId });
  assert.equal(telemetry.events, [
    { event: "sluice.backend", request_id: "r1", error_code: "SERVER_OVERLOADED", bundle_id: "b1" },
  ]);
});

test("a bundle is verified for production with the pinned trust policy, then built", async ({ directory }) => {
  const { loader, verified, built } = recorder();
  await loader.loadBundle({ bundle: directory, trust: join(directory, "trust.json"), workers: 3, clock: () => now });
  assert.is(verified.length, 1);
  assert.is(Buffer.from(verified[0]?.trustPolicyBytes ?? []).toString(), "trust bytes");
  assert.equal([verified[0]?.directory, verified[0]?.environment, verified[0]?.now], [directory, "production", now]);
  assert.is(built[0]?.workers, 3);
  assert.is(built[0]?.clock(), now);
  await built[0]?.verifyAgain();
  assert.equal(verified[1], verified[0]);
});

test("the paths of one bundle load it, with exact events off unless asked for", async ({ directory }) => {
  const { loader, verified, built } = recorder();
  const all = { policyPath: join(directory, parts.policy), goldenPath: join(directory, parts.golden), topK: 8 };
  await loader.loadProductionRouter({ ...paths(directory), ...all, environment: "staging" });
  assert.equal([verified[0]?.directory, verified[0]?.environment], [directory, "staging"]);
  assert.is(built[0]?.workers, usualThreads());
});

test("telemetry receives the decisions of the loaded router", async ({ directory }) => {
  const telemetry = new RecordingSink();
  const router = await recorder().loader.loadProductionRouter({ ...paths(directory), telemetry });
  await router.route({
    request_id: "r1",
    text: "x",
    context: {},
    catalog_version: "cat-1",
    allowed_workflow_ids: ["card.block"],
    blocked_workflow_ids: [],
    event_type: null,
    debug: false,
  });
  assert.is((await telemetry.next("sluice.decision")).request_id, "r1");
});

for (const option of [
  "catalogPath",
  "calibrationPath",
  "retrieverModel",
  "verifierModel",
  "policyPath",
  "goldenPath",
]) {
  test(`${option} of another place is refused before anything is verified`, async ({ directory }) => {
    const elsewhere = join(directory, "elsewhere");
    mkdirSync(elsewhere);
    const { loader, verified } = recorder();
    const options = { ...paths(directory), [option]: elsewhere };
    const error = await rejects(loader.loadProductionRouter(options), "PRODUCTION_CONFIGURATION");
    assert.ok(error.message.includes(option));
    assert.is(verified.length, 0);
  });
}

test("a path through a link to the bundle is the bundle", async ({ directory }) => {
  const link = join(directory, "link.yaml");
  symlinkSync(join(directory, parts.catalog), link);
  const { loader, verified } = recorder();
  await loader.loadProductionRouter({ ...paths(directory), catalogPath: link });
  assert.is(verified.length, 1);
});

test("a revocation list is read at every verification, and the state is stored once the bundle serves", async ({
  directory,
}) => {
  const { verified, built, states, loader } = recorder();
  const revocations = join(directory, "revocations.json");
  const options = { ...paths(directory), revocations, state: "state.json" };
  await rejects(loader.loadProductionRouter(options), "FILE_NOT_FOUND");
  writeFileSync(revocations, "list 1");
  await loader.loadProductionRouter(options);
  assert.is(built[0]?.revocationFile?.path, revocations);
  assert.equal(states, ["state.json"]);
  writeFileSync(revocations, "list 2");
  await built[0]?.verifyAgain();
  assert.equal(
    verified.map(({ revocationBytes }) => Buffer.from(revocationBytes ?? []).toString()),
    ["list 1", "list 2"],
  );
});

test("a bundle that does not verify is not built", async ({ directory }) => {
  const built: string[] = [];
  const loader = createBundleLoader({
    parts,
    verify: () => Promise.reject(new SluiceError("HASH_MISMATCH", "catalog.yaml")),
    verifyAgain: () => Promise.reject(new Error("not expected")),
    findReasons: async () => [],
    checkState: () => Promise.reject(new Error("not expected")),
    raiseSeen: async () => undefined,
    verifiedList: () => null,
    createRouter: async () => {
      built.push("built");
      return fixtureRouter();
    },
  });
  await rejects(loader.loadProductionRouter(paths(directory)), "HASH_MISMATCH");
  assert.is(built.length, 0);
});
