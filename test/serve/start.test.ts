import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deskAndClerk, inServedFolder } from "../support/served-bundles.js";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SluiceError } from "../../src/base/error.js";
import type { ServeOptions } from "../../serve/arguments.js";
import type { LoadBundleOptions } from "../../serve/load-production-router.js";
import { configureAuthorizer } from "../../serve/authorizers/configure-authorizer.js";
import { startLine, startServer } from "../../serve/start.js";
import type { StartDependencies } from "../../serve/start-dependencies.js";
import { assert, rejects, test } from "../support/test.js";
import { type FixtureRouter, fixtureRouter } from "./support/fixture-router.js";
import { goodBody, post, send } from "./support/http.js";
import { localOptions, testMachine } from "./support/serve-options.js";

const options: ServeOptions = { ...localOptions, environment: "staging", workers: 2 };

interface Fixture extends StartDependencies {
  readonly router: FixtureRouter;
  readonly loads: LoadBundleOptions[];
  readonly lines: string[];
}

function fixture(): Fixture {
  const router = fixtureRouter();
  const loads: LoadBundleOptions[] = [];
  const lines: string[] = [];
  return {
    router,
    loads,
    lines,
    loadBundle: async (load) => {
      loads.push(load);
      return { router, keepState: async () => undefined };
    },
    configureAuthorizer: async (authorizer, host) => {
      if (authorizer.kind === "module" && authorizer.file === "auth.mjs") return () => async () => ["card.order"];
      return configureAuthorizer(authorizer, { host, directory: "/nowhere" });
    },
    clock: () => new Date("2026-01-02T03:04:05Z"),
    writeLog: (line) => lines.push(line),
    seed: Buffer.from("seed"),
    machine: testMachine,
  };
}

test("a local server loads the bundle, serves local callers and logs", async () => {
  const deps = fixture();
  const server = await startServer(options, deps);
  try {
    assert.equal((await post(server.address, goodBody)).body["decision"], "ROUTE");
    assert.is((await post(server.address, goodBody, { host: "localhost:1" })).status, 200);
    assert.is((await post(server.address, goodBody, { host: "evil.example" })).status, 400);
  } finally {
    await server.shutdown.begin();
  }
  assert.is(deps.router.closed.count, 1);
  const [load] = deps.loads;
  assert.equal(
    [load?.bundle, load?.trust, load?.environment, load?.workers],
    ["bundle-dir", "trust.json", "staging", 2],
  );
  assert.is(deps.loads.length, 1);
  assert.match(deps.lines[0] ?? "", /"time":"2026-01-02T03:04:05.000Z","event":"sluice.http"/);
});

test("the loopback address that a server listens on is a trusted host", async () => {
  const server = await startServer({ ...options, host: "127.0.0.2" }, fixture());
  try {
    assert.is((await post(server.address, goodBody)).status, 200);
    assert.is((await post(server.address, goodBody, { host: "127.0.0.3" })).status, 400);
  } finally {
    await server.shutdown.begin();
  }
});

test("the start line names address and lineage", async () => {
  const server = await startServer(options, fixture());
  const line = startLine(server);
  await server.shutdown.begin();
  assert.match(line, /^sluice-serve listens on http:\/\/127\.0\.0\.1:\d+: catalog cat-1, calibration cal-1, /);
  assert.match(line, /model lex-1\+pair-1, bundle b{64}\n$/);
});

test("the start line warns of granted workflows that the bundle lacks", () =>
  inServedFolder(async (served) => {
    const authorizer = deskAndClerk(served);
    const bundle = await served.bundle(1);
    assert.not.match(startLine(await served.start({ bundle, authorizer })), "warning");
    const policy = join(served.folder, "grants.yaml");
    writeFileSync(policy, readFileSync(policy, "utf8").replace("invoices.refund", "invoices.refunds"));
    assert.match(
      startLine(await served.start({ bundle, authorizer })),
      "\nwarning: the grant policy names workflows that this bundle lacks: invoices.refunds. Check their spelling.\n",
    );
  }));

test("an authorizer module and trusted hosts replace the local defaults; logging can be off", async () => {
  const deps = fixture();
  const changed: ServeOptions = {
    ...options,
    authorizer: { kind: "module", file: "auth.mjs" },
    trustedHosts: ["r.example"],
    log: "none",
    bodyLimitBytes: 1024,
  };
  const server = await startServer(changed, deps);
  try {
    const answer = await post(server.address, goodBody, { host: "r.example" });
    assert.is(answer.body["reason_code"], "NO_ELIGIBLE_WORKFLOW");
    assert.is((await post(server.address, goodBody)).status, 400);
    assert.is((await send(server.address, { path: "/health/ready" })).status, 200);
    assert.is((await post(server.address, "x".repeat(1025))).status, 413);
  } finally {
    await server.shutdown.begin();
  }
  assert.is(deps.lines.length, 0);
});

const refused: readonly (readonly [name: string, change: Partial<ServeOptions>])[] = [
  ["no authorizer", { authorizer: { kind: "none" } }],
  ["other machines with an authorizer for local callers", { host: "0.0.0.0", trustedHosts: ["r.example"] }],
  ["other machines without trusted hosts", { host: "0.0.0.0", authorizer: { kind: "module", file: "auth.mjs" } }],
  ["a star as trusted host", { trustedHosts: ["*"] }],
  ["a star as origin", { corsOrigins: ["*"] }],
  ["an authorizer that cannot be loaded", { authorizer: { kind: "module", file: "missing.mjs" } }],
];
for (const [name, change] of refused) {
  test(`${name}: refused before the bundle is loaded`, async () => {
    const deps = fixture();
    await rejects(startServer({ ...options, ...change }, deps), "PRODUCTION_CONFIGURATION");
    assert.is(deps.loads.length, 0);
  });
}

test("a port in use is reported, and the router is closed", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const deps = fixture();
  try {
    const error = await rejects(startServer({ ...options, port }, deps), "PORT_IN_USE");
    assert.is(error.entry.exitCode, 2);
    assert.match(error.message, new RegExp(String(port)));
  } finally {
    other.close();
  }
  assert.is(deps.router.closed.count, 1);
});

test("an address of another machine is a usage error", async () => {
  const deps = fixture();
  const change: Partial<ServeOptions> = {
    host: "192.0.2.1",
    authorizer: { kind: "module", file: "auth.mjs" },
    trustedHosts: ["r.example"],
  };
  await rejects(startServer({ ...options, ...change }, deps), "USAGE");
  assert.is(deps.router.closed.count, 1);
});

test("a bundle that is refused keeps its code", async () => {
  const deps = { ...fixture(), loadBundle: () => Promise.reject(new SluiceError("THRESHOLD_NOT_MET", "one approval")) };
  const error = await rejects(startServer(options, deps), "THRESHOLD_NOT_MET");
  assert.is(error.entry.exitCode, 4);
});
