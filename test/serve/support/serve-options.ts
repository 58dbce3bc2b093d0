import type { ServeOptions } from "../../../serve/arguments.js";
import type { Machine } from "../../../serve/start-dependencies.js";

/** Options of a local server on a free port, with nothing else. */
export const localOptions: ServeOptions = {
  bundle: "bundle-dir",
  revocations: undefined,
  state: undefined,
  trust: "trust.json",
  host: "127.0.0.1",
  port: 0,
  environment: "production",
  allowExactEvents: false,
  allowDemonstration: false,
  mcp: false,
  authorizer: { kind: "local" },
  trustedHosts: [],
  corsOrigins: [],
  workers: 1,
  bodyLimitBytes: undefined,
  drainPauseMs: 0,
  log: "json",
  watch: undefined,
  control: undefined,
  shadow: undefined,
  shadowEnvironment: "production",
  metricsPort: undefined,
  metricsHost: "127.0.0.1",
  opsPage: false,
  otlpEndpoint: undefined,
  maxWaiting: 256,
  // A busy test machine is no overload.
  maxEventLoopDelayMs: 60_000,
  maxConnections: undefined,
};

/** A machine with 8 GiB to spare and the real monotonic clock. */
export const testMachine: Machine = {
  now: () => performance.now(),
  availableMemory: async () => 8 * 1024 ** 3,
  descriptorLimit: async () => 1024,
  processUse: () => ({ residentBytes: 1, heapBytes: 2, cpuSeconds: 3, startedAt: 4 }),
  lostLogLines: () => 0,
  version: "0.0.0-test",
};
