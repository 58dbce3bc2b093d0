/**
 * The server of an exported bundle as a separate process: verified, loaded and warmed up as in production. Prints its
 * address, answers every message with its resource use since the last message (`BundleServerUse`), and ends with its
 * parent.
 *
 *   node dist/bench/serving/bundle-server.js BUNDLE TRUST CONTROL-SOCKET THREADS
 */
import { loadBundle } from "../../serve/load-production-router.js";
import { configureAuthorizer } from "../../serve/authorizers/configure-authorizer.js";
import { startServer } from "../../serve/start.js";
import { localOptions, testMachine } from "../../test/serve/support/serve-options.js";
import { testNow } from "../../test/support/builders-artifacts.js";
import { LoopPauses, type Pauses } from "../harness/loop-pauses.js";

/** Resource use of the server since the last message, and its current memory. */
export interface BundleServerUse {
  readonly pauses: Pauses;
  readonly cpuMicros: number;
  readonly residentMib: number;
}

const [bundle = "", trust = "", control = "", threads = "2"] = process.argv.slice(2);
const pauses = new LoopPauses();
let before = process.cpuUsage();

const server = await startServer(
  { ...localOptions, bundle, trust, control, workers: Number(threads), log: "none", maxConnections: 512 },
  {
    loadBundle,
    configureAuthorizer: (authorizer, host) => configureAuthorizer(authorizer, { host, directory: process.cwd() }),
    clock: () => testNow,
    writeLog: () => undefined,
    seed: Buffer.from("seed"),
    machine: testMachine,
  },
);
process.stdout.write(`${server.address}\n`);
process.on("message", () => {
  const { user, system } = process.cpuUsage(before);
  const found = pauses.take();
  // With --expose-gc, reports memory in use rather than memory not yet collected.
  globalThis.gc?.();
  const use: BundleServerUse = {
    pauses: found,
    cpuMicros: user + system,
    residentMib: process.memoryUsage().rss / 2 ** 20,
  };
  process.send?.(use);
  // Exclude the collection from the next measurement.
  before = process.cpuUsage();
  pauses.take();
});
process.once("disconnect", () => void server.shutdown.begin());
