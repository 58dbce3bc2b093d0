/** Servers and load as processes of their own, so that the client costs the server no thread. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import { decisionOf } from "./decision-of.js";
import type { LoadPlan, LoadResult } from "./load-client.js";
import type { ServerKind, ServerUse } from "./server.js";

export interface ServerProcess {
  readonly kind: ServerKind;
  readonly port: number;
  readonly used: () => Promise<ServerUse>;
  /** One load by a client process; every answer is compared with the decision of its request when it is asked alone. */
  readonly load: (load: Pick<LoadPlan, "connections" | "seconds" | "rate">) => Promise<LoadResult>;
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
  const port = Number(new URL(chunk.toString().trim()).port);
  const bodies = await requestBodies();
  const decisions = await decisionsAlone(port, bodies);
  return { kind, port, used, load: (asked) => load({ ...asked, port, bodies, decisions }), stop };
}

/**
 * The decision of each body, asked one after another.
 * @throws {Error} an answer is no decision of the models
 */
export async function decisionsAlone(port: number, bodies: readonly string[]): Promise<readonly string[]> {
  const decisions: string[] = [];
  for (const body of bodies) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/route`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status !== 200 || text.includes("BACKEND_UNAVAILABLE")) throw new Error(`${answer.status}: ${text}`);
    decisions.push(decisionOf(text));
  }
  return decisions;
}

/** 200 requests of the service desk, as bodies of `POST /v1/route`. */
async function requestBodies(): Promise<readonly string[]> {
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
