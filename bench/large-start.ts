/**
 * Measures the costs of a large catalog for a server of a signed bundle: start, memory, a request, and loading another
 * bundle while it serves. The server is a separate process. Pauses of its event loop are reported with and without the
 * time in which its main thread waited for a core.
 *
 *   node --expose-gc dist/bench/large-start.js [--workflows 10000] [--threads 2] [--seconds 10] [--connections 8]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sendControlOrder } from "../serve/control/control-client.js";
import { send } from "../test/serve/support/http.js";
import { testTrustBytes } from "../test/support/builders-artifacts.js";
import type { BundleServerUse } from "./serving/bundle-server.js";
import { writeLargeBundle } from "./serving/large-bundle.js";

const { values } = parseArgs({
  options: {
    workflows: { type: "string", default: "10000" },
    threads: { type: "string", default: "2" },
    seconds: { type: "string", default: "10" },
    connections: { type: "string", default: "8" },
  },
});
const workflows = Number(values.workflows);
const requests = 60;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "sluice-large-"));
try {
  const paths = { trust: join(folder, "trust.json"), control: join(folder, "control.sock") };
  writeFileSync(paths.trust, testTrustBytes());
  const [first, second] = [join(folder, "bundle-1"), join(folder, "bundle-2")];
  const texts = await writeLargeBundle({ directory: first, workflows, release: 1 }, requests);
  await writeLargeBundle({ directory: second, workflows, release: 2 }, requests);
  await measure(first, second, texts, paths);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Paths {
  readonly trust: string;
  readonly control: string;
}

async function measure(first: string, second: string, texts: readonly string[], paths: Paths): Promise<void> {
  const began = performance.now();
  const program = join(import.meta.dirname, "serving/bundle-server.js");
  const child = fork(program, [first, paths.trust, paths.control, values.threads], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [chunk] = (await once(child.stdout ?? process.stdin, "data")) as [Buffer];
  const address = chunk.toString().trim();
  const used = async (): Promise<BundleServerUse> => {
    child.send("used");
    return ((await once(child, "message")) as [BundleServerUse])[0];
  };
  print(`${workflows} workflows, ${values.threads} threads`);
  print(`start: ${((performance.now() - began) / 1000).toFixed(1)} s; ${useText(await used())}`);

  let version = "catalog-1";
  const ask = async (text: string, agent: Agent): Promise<boolean> => {
    const answer = await send(address, { body: { text, catalog_version: version }, agent });
    if (answer.status !== 200 && answer.status !== 409) throw new Error(`the server answered ${answer.status}`);
    return answer.status === 200;
  };
  const alone = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const turn of ["first requests, one at a time", "requests, one at a time"]) {
    for (const text of texts) await ask(text, alone);
    const use = await used();
    print(`${turn}: ${(use.cpuMicros / 1000 / texts.length).toFixed(1)} ms of processor time each; ${useText(use)}`);
  }
  alone.destroy();

  let isOver = false;
  let answers = 0;
  const caller = async (from: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = from; !isOver; at += 1) if (await ask(texts[at % texts.length] ?? "", agent)) answers += 1;
    agent.destroy();
  };
  const callers = Array.from({ length: Number(values.connections) }, (_, index) => caller(index * 7));
  await pause(Number(values.seconds) * 1000);
  const loaded = await used();
  print(`under load (${values.connections} connections): ${answers} answers; ${useText(loaded)}`);

  const { generation } = await sendControlOrder(paths.control, { kind: "status" });
  const swapBegan = performance.now();
  await sendControlOrder(paths.control, { kind: "replace", bundle: second, expectedGeneration: generation });
  version = "catalog-2";
  print(`swap under load: ${((performance.now() - swapBegan) / 1000).toFixed(1)} s; ${useText(await used())}`);
  await pause(Number(values.seconds) * 1000);
  print(`after the swap, under load: ${useText(await used())}`);
  isOver = true;
  await Promise.all(callers);
  child.disconnect();
  await once(child, "exit");
}

function useText({ pauses, cpuMicros, residentMib }: BundleServerUse): string {
  const { p99Ms, longestMs, ownP99Ms, ownLongestMs } = pauses;
  const loop = `event loop p99 ${p99Ms.toFixed(1)} ms, longest ${longestMs.toFixed(0)}; without waiting for a core ${ownP99Ms.toFixed(1)}, ${ownLongestMs.toFixed(0)}`;
  return `${(cpuMicros / 1e6).toFixed(1)} s of processor time; ${loop}; ${residentMib.toFixed(0)} MiB resident`;
}
