import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Catalog } from "../../../src/documents/catalog.js";
import type { RuntimeMode } from "../../../src/documents/response.js";
import type { Router } from "../../../src/documents/router.js";
import { BundleRouter } from "../../../src/router/router.js";
import { RouterRuntime } from "../../../src/router/runtime.js";
import { createApp } from "../../../serve/app.js";
import { AuthorizationDenied, type Authorizer } from "../../../serve/authorizer.js";
import { loadProductionRouter } from "../../../serve/index.js";
import { ApiSettings } from "../../../serve/settings.js";
import { aCalibration, aCatalog, aPolicy } from "../../support/builders.js";
import { testModels } from "../../support/models.js";
import { bundleOptions, writeReleased } from "./released-bundle.js";

/** Everybody may use these; the rest of the catalog only the caller "auditor". */
const grantedIds = ["orders.status", "invoices.refund"] as const;

/** Enough for an authorizer that only looks into a table, on a busy machine too. */
const authorizerTimeoutMs = 500;

/** A server over TCP with a router of real models in one of the two modes. */
export interface ContractWorld {
  readonly mode: RuntimeMode;
  readonly base: string;
  readonly app: FastifyInstance;
  readonly runtime: RouterRuntime;
  /** Folder of the bundle and its trust policy; the development server has none. */
  readonly folder: string;
  /** A request that is routed to orders.status. */
  readonly good: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Something that holds in both modes. */
export type Check = (world: ContractWorld) => Promise<void>;

/** What the authorizer does for a caller, by the header `x-user`; anybody else gets `grantedIds`. */
const callers: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  auditor: async () => [...grantedIds, "accounts.unlock"],
  eve: () => Promise.reject(new AuthorizationDenied("not eve")),
  crash: () => Promise.reject(new TypeError("the directory is down")),
  never: () => new Promise<never>(() => undefined),
  nonsense: async () => "everything" as unknown as readonly string[],
};

const authorizer: Authorizer = async ({ headers }) => callers[String(headers["x-user"])]?.() ?? [...grantedIds];

/** Starts a server. The production one serves a signed and approved bundle from its own folder. */
export async function contractWorld(mode: RuntimeMode): Promise<ContractWorld> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-contract-"));
  const router = mode === "production" ? await bundleRouter(folder) : await modelRouter(mode);
  const runtime = new RouterRuntime(router);
  const hosts = { trustedHosts: ["127.0.0.1"], corsOrigins: ["https://app.example.com"] };
  const limits = { authorizerTimeoutMs, bodyLimitBytes: 131_072 };
  const settings =
    mode === "production"
      ? ApiSettings.productionDefaults({ ...hosts, ...limits })
      : ApiSettings.development({ ...hosts, ...limits });
  const app = createApp(runtime, { authorizer, settings });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    mode,
    base,
    app,
    runtime,
    folder,
    good: { text: "where is my order", catalog_version: "catalog-1", allowed_workflow_ids: ["orders.status"] },
    async close() {
      app.server.closeAllConnections();
      await app.close();
      await runtime.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function bundleRouter(folder: string): Promise<Router> {
  await writeReleased(folder);
  return loadProductionRouter(bundleOptions(folder));
}

/** A router of real models in any mode, without a bundle around it. */
export async function modelRouter(mode: RuntimeMode, catalog: Catalog = aCatalog()): Promise<BundleRouter> {
  return new BundleRouter({
    catalog,
    calibration: aCalibration(),
    policy: aPolicy({ deadline_ms: 30_000 }),
    models: await testModels(catalog),
    runtimeMode: mode,
    bundleId: null,
    integrityProblems: () => [],
    now: () => performance.now(),
  });
}
