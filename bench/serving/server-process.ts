/** Servers and load as processes of their own, so that the client costs the server no thread. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { LoadPlan, LoadResult } from "./load-client.js";
import type { ServerKind, ServerUse } from "./server.js";

export interface ServerProcess {
  readonly kind: ServerKind;
  readonly port: number;
  readonly used: () => Promise<ServerUse>;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);
const program = (name: string): string => join(import.meta.dirname, `${name}.js`);

/** Starts one of the servers of `server.ts`. */
export async function startServerProcess(kind: ServerKind, workers: number): Promise<ServerProcess> {
  const child = fork(program("server"), [kind, "production", String(workers)], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [chunk] = (await once(child.stdout ?? process.stdin, "data")) as [Buffer];
  const stop = async (): Promise<void> => {
    child.disconnect();
    await once(child, "exit");
  };
  const used = async (): Promise<ServerUse> => {
    child.send("used");
    return ((await once(child, "message")) as [ServerUse])[0];
  };
  return { kind, port: Number(new URL(chunk.toString().trim()).port), used, stop };
}

/** 200 requests of the service desk, as bodies of `POST /v1/route`. */
export async function requestBodies(): Promise<readonly string[]> {
  const { catalogVersion, workflows } = await serviceDeskCatalog();
  const ids = workflows.slice(0, 20).map(({ workflowId }) => workflowId);
  return serviceDeskRequests()
    .filter((_, index) => index % 7 === 0)
    .slice(0, 200)
    .map(({ text }) => JSON.stringify({ text, catalog_version: catalogVersion, allowed_workflow_ids: ids }));
}

/** One load by a client process. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const running = run(process.execPath, [program("load-client")]);
  running.child.stdin?.end(JSON.stringify(plan));
  return JSON.parse((await running).stdout) as LoadResult;
}
