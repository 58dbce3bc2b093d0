/** A production router refuses to start for each of the six rules, and names every broken one in one error. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import type { SluiceError } from "../../../src/base/error.js";
import { loadProductionRouter } from "../../../serve/index.js";
import type { ProductionRouterOptions } from "../../../serve/load-production-router.js";
import type { StartupReason } from "../../../serve/startup/expectations.js";
import { type StartupRule, startupRules } from "../../../src/router/start/start-finding.js";
import { assert, rejects, testWith } from "../../support/test.js";
import { verifierFiles } from "../../support/models.js";
import type { BundleChanges } from "../../support/servable-bundle.js";
import { bundleOptions, writeReleased } from "../support/released-bundle.js";

const test = testWith<{ folder: string }>();

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-startup-"));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const reasonsOf = (error: SluiceError): readonly StartupReason[] =>
  (error.details?.["reasons"] ?? []) as readonly StartupReason[];

const text = (files: ReadonlyMap<string, Buffer>, name: string): string => String(files.get(name));

function developmentVerifier(files: Map<string, Buffer>): void {
  for (const [name, bytes] of verifierFiles(undefined, { capability: "development" })) {
    files.set(`models/verifier/${name}`, Buffer.from(bytes));
  }
}

function nobodyOwns(files: Map<string, Buffer>): void {
  files.set("catalog.yaml", Buffer.from(text(files, "catalog.yaml").replace("orders-team", "unknown")));
}

function eventTwice(files: Map<string, Buffer>): void {
  const catalog = JSON.parse(text(files, "catalog.yaml")) as { workflows: { event_types: string[] }[] };
  for (const workflow of catalog.workflows) workflow.event_types = ["order.asked"];
  files.set("catalog.yaml", Buffer.from(JSON.stringify(catalog)));
}

function brokenGraph(files: Map<string, Buffer>): void {
  files.set("models/verifier/model.onnx", Buffer.from("no graph"));
}

interface Case {
  readonly name: string;
  readonly changes?: BundleChanges;
  readonly options?: Partial<ProductionRouterOptions>;
  readonly code: ErrorCode;
  readonly rule: StartupRule;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  {
    name: "1: a verifier without production capability",
    changes: { files: developmentVerifier },
    code: "PRODUCTION_CONFIGURATION",
    rule: "capability",
    says: /verifier linear-1 declares development capability/,
  },
  {
    name: "2: a manifest that one approver is missing for",
    changes: { approvers: ["ana"] },
    code: "THRESHOLD_NOT_MET",
    rule: "manifest",
    says: /approv/,
  },
  {
    name: "3: a manifest with another top-K",
    changes: { manifest: { top_k: 9 } },
    code: "IDENTITY_MISMATCH",
    rule: "identities",
    says: /topK: running 8, signed 9/,
  },
  {
    name: "3: another top-K in the options",
    options: { topK: 7 },
    code: "IDENTITY_MISMATCH",
    rule: "identities",
    says: /topK: found 7, expected 8 of the signed manifest/,
  },
  {
    name: "3: a manifest with another label order and prefix",
    changes: { manifest: { label_order: ["executable", "mismatch", "needs_input"] } },
    code: "IDENTITY_MISMATCH",
    rule: "identities",
    says: /labelOrder: running/,
  },
  {
    name: "4: exact events on in the options, off in the manifest",
    options: { allowExactEventRoutes: true },
    code: "IDENTITY_MISMATCH",
    rule: "exact_events",
    says: /allowExactEventRoutes: found true, expected false of the signed manifest/,
  },
  {
    name: "5: an active workflow that nobody owns",
    changes: { files: nobodyOwns },
    code: "CATALOG_NOT_PRODUCTION",
    rule: "catalog",
    says: /no owner/,
  },
  {
    name: "5: an event that several workflows declare",
    changes: { files: eventTwice },
    code: "CATALOG_NOT_PRODUCTION",
    rule: "catalog",
    says: /order\.asked/,
  },
  {
    name: "6: a verifier graph that does not load",
    changes: { files: brokenGraph },
    code: "MODEL_INVALID",
    rule: "warm_up",
    says: /./,
  },
];

for (const { name, changes, options, code, rule, says } of cases) {
  test(`rule ${name}: refused, with that rule as the only reason`, async ({ folder }) => {
    await writeReleased(folder, changes);
    const error = await rejects(loadProductionRouter({ ...bundleOptions(folder), ...options }), code);
    const reasons = reasonsOf(error);
    assert.equal([...new Set(reasons.map((entry) => entry.rule))], [rule]);
    assert.match(reasons.map(({ message }) => message).join("; "), says);
  });
}

test("all six rules at once: one error with a reason for each, in their order", async ({ folder }) => {
  const changes: BundleChanges = {
    files: (files) => {
      developmentVerifier(files);
      nobodyOwns(files);
      brokenGraph(files);
    },
    manifest: { top_k: 9 },
    approvers: [],
  };
  await writeReleased(folder, changes);
  const error = await rejects(
    loadProductionRouter({ ...bundleOptions(folder), allowExactEventRoutes: true }),
    "THRESHOLD_NOT_MET",
  );
  const rules = reasonsOf(error).map((entry) => entry.rule);
  assert.equal([...new Set(rules)], [...startupRules]);
  for (const { message } of reasonsOf(error)) assert.ok(error.message.includes(message), message);
});

test("models whose bytes are not the signed ones are not loaded, and that is said", async ({ folder }) => {
  await writeReleased(folder);
  writeFileSync(join(folder, "bundle/models/verifier/model.onnx"), "another graph");
  const error = await rejects(loadProductionRouter(bundleOptions(folder)), "HASH_MISMATCH");
  const rules = reasonsOf(error).map((entry) => entry.rule);
  assert.equal([...new Set(rules)], ["identities", "warm_up"]);
  assert.match(reasonsOf(error).at(-1)?.message ?? "", /was not warmed/);
});

test("several paths that are not of one bundle are named together", async ({ folder }) => {
  await writeReleased(folder);
  const trust = join(folder, "trust.json");
  const options = { ...bundleOptions(folder), catalogPath: trust, calibrationPath: trust };
  const error = await rejects(loadProductionRouter(options), "PRODUCTION_CONFIGURATION");
  assert.match(error.message, /catalogPath: found .*calibrationPath: found /);
});

test("a bundle in order starts, also through a link to one of its parts", async ({ folder }) => {
  await writeReleased(folder);
  const options = bundleOptions(folder);
  const catalogPath = join(folder, "link.yaml");
  symlinkSync(options.catalogPath, catalogPath);
  const router = await loadProductionRouter({ ...options, catalogPath, topK: 8 });
  await router.close();
});
