import { helpText, parseServeArguments, type ServeOptions } from "../../serve/arguments.js";
import { assert, test, throws } from "../support/test.js";
import { localOptions } from "./support/serve-options.js";

const needed = ["--bundle", "b", "--trust", "t", "--port", "8080"];

function options(argv: readonly string[], env: Record<string, string> = {}): ServeOptions {
  const command = parseServeArguments(argv, env);
  if (command.kind !== "serve") return assert.unreachable(`got ${command.kind}`) as never;
  return command.options;
}

/** What nobody asked for; a server of tests has other limits. */
const defaults: ServeOptions = {
  ...localOptions,
  bundle: "b",
  trust: "t",
  port: 8080,
  authorizer: { kind: "none" },
  workers: undefined,
  maxEventLoopDelayMs: 500,
};

test("three options are enough", () => {
  assert.equal(options(needed), defaults);
});

test("every option can be given", () => {
  const more = ["--host", "0.0.0.0", "--environment", "staging", "--authorizer", "auth.mjs", "--workers", "4"];
  const lists = [
    "--trusted-host",
    "a.example,b.example",
    "--trusted-host=c.example",
    "--cors-origin",
    "https://a.example",
  ];
  const rest = ["--body-limit-bytes", "4096", "--drain-pause-ms", "5000", "--log", "none"];
  const files = ["--revocations", "r.json", "--state", "s.json", "--allow-exact-events"];
  assert.equal(options([...needed, ...more, ...lists, ...rest, ...files]), {
    ...defaults,
    revocations: "r.json",
    state: "s.json",
    host: "0.0.0.0",
    environment: "staging",
    allowExactEvents: true,
    authorizer: { kind: "module", file: "auth.mjs" },
    trustedHosts: ["a.example", "b.example", "c.example"],
    corsOrigins: ["https://a.example"],
    workers: 4,
    bodyLimitBytes: 4096,
    drainPauseMs: 5000,
    log: "none",
    shadowEnvironment: "staging",
  });
});

test("--allow-demonstration chooses the environment, and contradicts every other one", () => {
  const asked = options([...needed, "--allow-demonstration"]);
  assert.equal(
    [asked.allowDemonstration, asked.environment, asked.shadowEnvironment],
    [true, "demonstration", "demonstration"],
  );
  assert.is(options(needed, { SLUICE_SERVE_ALLOW_DEMONSTRATION: "true" }).environment, "demonstration");
  throws(() => options([...needed, "--allow-demonstration", "--environment", "production"]), "USAGE");
  throws(() => options(needed, { SLUICE_SERVE_ALLOW_EXACT_EVENTS: "yes" }), "USAGE");
});

const proxy = ["--proxy-header", "x-user,x-groups", "--proxy-address", "10.0.0.0/8", "--grant-policy", "g.yaml"];

test("each authentication method has its options", () => {
  assert.equal(options([...needed, "--authorizer", "local"]).authorizer, { kind: "local" });
  assert.equal(options([...needed, ...proxy]).authorizer, {
    kind: "proxy",
    headers: ["x-user", "x-groups"],
    addresses: ["10.0.0.0/8"],
    policy: "g.yaml",
  });
});

for (const [name, argv] of [
  ["two ways", [...proxy, "--authorizer", "auth.mjs"]],
  ["a proxy without policy", proxy.slice(0, -2)],
  ["a proxy without address", proxy.filter((word) => word !== "--proxy-address" && word !== "10.0.0.0/8")],
  ["a policy for a module", ["--authorizer", "auth.mjs", "--grant-policy", "g.yaml"]],
] as const) {
  test(`${name}: a usage error`, () => void throws(() => options([...needed, ...argv]), "USAGE"));
}

test("every option has an environment twin, and the option wins", () => {
  const env = {
    SLUICE_SERVE_BUNDLE: "eb",
    SLUICE_SERVE_TRUST: "et",
    SLUICE_SERVE_REVOCATIONS: "er",
    SLUICE_SERVE_STATE: "es",
    SLUICE_SERVE_PORT: "0",
    SLUICE_SERVE_HOST: "::1",
    SLUICE_SERVE_ENVIRONMENT: "staging",
    SLUICE_SERVE_ALLOW_EXACT_EVENTS: "true",
    SLUICE_SERVE_ALLOW_DEMONSTRATION: "false",
    SLUICE_SERVE_AUTHORIZER: "auth.mjs",
    SLUICE_SERVE_TRUSTED_HOST: "a.example, b.example",
    SLUICE_SERVE_CORS_ORIGIN: "https://a.example",
    SLUICE_SERVE_WORKERS: "3",
    SLUICE_SERVE_BODY_LIMIT_BYTES: "2048",
    SLUICE_SERVE_DRAIN_PAUSE_MS: "10",
    SLUICE_SERVE_LOG: "none",
    SLUICE_SERVE_WATCH: "ew",
    SLUICE_SERVE_CONTROL: "ec",
    SLUICE_SERVE_SHADOW: "esh",
    SLUICE_SERVE_SHADOW_ENVIRONMENT: "candidates",
    SLUICE_SERVE_METRICS_PORT: "9464",
    SLUICE_SERVE_METRICS_HOST: "::1",
    SLUICE_SERVE_OPS_PAGE: "true",
    SLUICE_SERVE_OTLP_ENDPOINT: "http://collector:4318",
    SLUICE_SERVE_MAX_WAITING: "10",
    SLUICE_SERVE_MAX_EVENT_LOOP_DELAY_MS: "100",
    SLUICE_SERVE_MAX_CONNECTIONS: "300",
  };
  assert.equal(options([], env), {
    bundle: "eb",
    trust: "et",
    revocations: "er",
    state: "es",
    host: "::1",
    port: 0,
    environment: "staging",
    allowExactEvents: true,
    allowDemonstration: false,
    mcp: false,
    authorizer: { kind: "module", file: "auth.mjs" },
    trustedHosts: ["a.example", "b.example"],
    corsOrigins: ["https://a.example"],
    workers: 3,
    bodyLimitBytes: 2048,
    drainPauseMs: 10,
    log: "none",
    watch: "ew",
    control: "ec",
    shadow: "esh",
    shadowEnvironment: "candidates",
    metricsPort: 9464,
    metricsHost: "::1",
    opsPage: true,
    otlpEndpoint: "http://collector:4318",
    maxWaiting: 10,
    maxEventLoopDelayMs: 100,
    maxConnections: 300,
  });
  const mixed = options([...needed, "--trusted-host", "c.example"], env);
  assert.equal([mixed.bundle, mixed.port, mixed.trustedHosts], ["b", 8080, ["c.example"]]);
});

test("with --watch no --bundle is needed", () => {
  const { bundle, watch } = options(["--watch", "bundles", "--trust", "t", "--port", "1"]);
  assert.equal([bundle, watch], [undefined, "bundles"]);
});

const wrong: readonly (readonly string[])[] = [
  [],
  ["--bundle", "b", "--trust", "t"],
  ["--bundle", "b", "--port", "1"],
  ["--trust", "t", "--port", "1"],
  [...needed, "--nonsense"],
  [...needed, "--otlp-endpoint", "collector:4318"],
  [...needed, "--otlp-endpoint", "http://user:secret@collector"],
  [...needed, "--metrics-port", "65536"],
  [...needed, "--ops-page"],
  [...needed, "--max-waiting", "0"],
  [...needed, "--max-event-loop-delay-ms", "1"],
  [...needed, "positional"],
  [...needed, "--log", "xml"],
  [...needed, "--workers", "0"],
  [...needed, "--workers", "1.5"],
  [...needed, "--body-limit-bytes", "100"],
  ["--bundle", "b", "--trust", "t", "--port", "65536"],
  ["--bundle", "b", "--trust", "t", "--port", "-1"],
  ["--bundle", "b", "--trust", "t", "--port", "http"],
];
for (const argv of wrong) {
  test(`usage error: ${argv.join(" ")}`, () => {
    const error = throws(() => parseServeArguments(argv, {}), "USAGE");
    assert.match(error.hint ?? "", /--help/);
  });
}

test("help and version need nothing else", () => {
  assert.equal(parseServeArguments(["--help"], {}), { kind: "help" });
  assert.equal(parseServeArguments(["-h", "--port", "x"], {}), { kind: "help" });
  assert.equal(parseServeArguments(["--version"], {}), { kind: "version" });
});

test("help names every option", () => {
  for (const name of Object.keys(options(needed))) {
    const flag = name.replace(/s$/u, (s) => (name === "trustedHosts" || name === "corsOrigins" ? "" : s));
    const kebab = flag.replace(/[A-Z]/gu, (c) => `-${c.toLowerCase()}`);
    assert.ok(helpText.includes(`--${kebab}`), kebab);
  }
});
