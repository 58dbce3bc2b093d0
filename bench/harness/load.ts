/** Runs the load client as a separate process, so that it does not use the server's threads. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { decisionOf } from "./decision-of.js";
import type { LoadPlan, LoadResult } from "./load-client.js";

const run = promisify(execFile);
const program = join(import.meta.dirname, "load-client.js");

/**
 * The decision for each body, requested one at a time.
 * @throws {Error} a response is not a decision of the models
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

/** Runs one load in a client process. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const running = run(process.execPath, [program]);
  running.child.stdin?.end(JSON.stringify(plan));
  return JSON.parse((await running).stdout) as LoadResult;
}
