/** Bundles on disk and servers on them: everything real but the clock and the thread of the first verification. */
import { type AuthorizerOptions, configureAuthorizer } from "../../serve/authorizers/configure-authorizer.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServeOptions } from "../../serve/arguments.js";
import { loadBundle, type BundleVerification } from "../../serve/load-production-router.js";
import { type RunningServer, startServer } from "../../serve/start.js";
import type { StartDependencies } from "../../serve/start-dependencies.js";
import { findStartupReasons } from "../../serve/startup/find-startup-reasons.js";
import { verifyAgainInThread } from "../../src/trust/verify/verification-thread.js";
import { verifyBundle } from "../../src/trust/verify/verify-bundle.js";
import { localOptions, testMachine } from "../serve/support/serve-options.js";
import { testNow, testTrustBytes } from "./builders-artifacts.js";
import { inTemporaryFolder } from "./temporary-folder.js";
import { type BundleChanges, writeServableBundle } from "./servable-bundle.js";

/**
 * Loads bundles as a server does, but verifies them at first in this thread: a thread for each would load its program
 * again, which takes longer than the verification. Tests of `loadProductionRouter` and of real processes use threads.
 */
const verification: BundleVerification = {
  verify: verifyBundle,
  verifyAgain: verifyAgainInThread,
  findReasons: findStartupReasons,
};

/** A moment that a test moves. */
export interface TestClock {
  now: Date;
}

export interface ServedFolder {
  readonly folder: string;
  readonly clock: TestClock;
  /** JSON lines of the log. */
  readonly lines: string[];
  /** Writes release `release` of `catalog-<release>` into a folder of that name. @returns the folder */
  bundle(release: number, changes?: BundleChanges): Promise<string>;
  /** A server on a real socket; ended with the folder. */
  start(options: Partial<ServeOptions>, deps?: Partial<StartDependencies>): Promise<RunningServer>;
}

/** Callers by the header `x-user`: the desk may see every workflow, the clerk refunds only. */
export function deskAndClerk({ folder }: Pick<ServedFolder, "folder">): AuthorizerOptions {
  const policy = join(folder, "grants.yaml");
  const rules = [
    { claim: "x-user", value: "desk", workflow_ids: "all" },
    { claim: "x-user", value: "clerk", workflow_ids: ["invoices.refund"] },
  ];
  writeFileSync(policy, JSON.stringify({ schema_version: 1, rules }));
  return { kind: "proxy", headers: ["x-user"], addresses: ["127.0.0.1"], policy };
}

/** Runs with a folder that holds `trust.json`, and ends every server that was started in it. */
export function inServedFolder(run: (served: ServedFolder) => Promise<void>): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const clock: TestClock = { now: testNow };
    const lines: string[] = [];
    const trust = join(folder, "trust.json");
    writeFileSync(trust, testTrustBytes());
    const servers: RunningServer[] = [];
    const start: ServedFolder["start"] = async (options, deps = {}) => {
      const all = { ...localOptions, bundle: undefined, trust, ...options };
      const server = await startServer(all, {
        loadBundle: (load) => loadBundle(load, verification),
        configureAuthorizer: (authorizer, host) => configureAuthorizer(authorizer, { host, directory: folder }),
        clock: () => clock.now,
        writeLog: (line) => lines.push(line),
        seed: Buffer.from("seed"),
        machine: testMachine,
        ...deps,
      });
      servers.push(server);
      return server;
    };
    const bundle = async (release: number, changes: BundleChanges = {}): Promise<string> => {
      const directory = join(folder, `bundle-${release}`);
      const manifest = { release, rollback_floor: Math.max(1, release - 1), ...changes.manifest };
      await writeServableBundle(directory, `catalog-${release}`, { ...changes, manifest });
      return directory;
    };
    try {
      await run({ folder, clock, lines, bundle, start });
    } finally {
      for (const server of servers) await server.shutdown.begin();
    }
  });
}

/** A request that the bundle of `release` routes to `orders.status`. */
export const orderRequest = (release: number): object => ({
  text: "where is my order",
  catalog_version: `catalog-${release}`,
  allowed_workflow_ids: ["orders.status"],
});
