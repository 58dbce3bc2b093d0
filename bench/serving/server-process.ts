/** Runs servers and load as separate processes, so that the client does not use the server's threads. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import { decisionsAlone, load } from "../harness/load.js";
import type { LoadPlan, LoadResult } from "../harness/load-client.js";
import type { ServerKind, ServerUse } from "./server.js";

export interface ServerProcess {
  readonly kind: ServerKind;
  readonly port: number;
  readonly used: () => Promise<ServerUse>;
  /** Runs one load in a client process. Every decision is compared with the one for its request on its own. */
  readonly load: (load: Pick<LoadPlan, "connections" | "seconds" | "rate" | "path">) => Promise<LoadResult>;
  readonly stop: () => Promise<void>;
}

const program = join(import.meta.dirname, "server.js");

/** Starts one of the servers of `server.ts`. */
export async function startServerProcess(kind: ServerKind, workers: number): Promise<ServerProcess> {
  const child = fork(program, [kind, "production", String(workers)], {
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
  const port = Number(new URL(chunk.toString().trim()).port);
  const bodies = await requestBodies();
  const decisions = await decisionsAlone(port, bodies);
  const calls = { bodies: bodies.map(toolCall), decisions: null };
  const run: ServerProcess["load"] = (asked) =>
    load({ ...asked, port, ...(asked.path === "/mcp" ? calls : { bodies, decisions }) });
  return { kind, port, used, load: run, stop };
}

/** A call of `find_tools` with the text of a request. */
function toolCall(body: string): string {
  const { text } = JSON.parse(body) as { readonly text: string };
  const params = { name: "find_tools", arguments: { query: text } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

/** 200 requests of the service desk as bodies for `POST /v1/route`. */
async function requestBodies(): Promise<readonly string[]> {
  const { catalog_version: catalogVersion, workflows } = await serviceDeskCatalog();
  const ids = workflows.slice(0, 20).map(({ workflow_id: workflowId }) => workflowId);
  return serviceDeskRequests()
    .filter((_, index) => index % 7 === 0)
    .slice(0, 200)
    .map(({ text }) => JSON.stringify({ text, catalog_version: catalogVersion, allowed_workflow_ids: ids }));
}
