import { parseArgs } from "node:util";
import { demonstrationEnvironment } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import type { AuthorizerOptions } from "./authorizers/configure-authorizer.js";

/** Monitoring and control options. */
interface Operations {
  /** Like `bundle`, but checked for changes while the server runs. null: the first bundle is never replaced. */
  readonly watch: string | null;
  /** Path of the control socket; null for none. */
  readonly control: string | null;
  /** Folder of a shadow bundle; null for none. */
  readonly shadow: string | null;
  /** Environment that the approvals of the shadow bundle must name. */
  readonly shadowEnvironment: string;
  /** null: no metrics; 0: any free port. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  /** Whether the metrics address also serves the operators' page. */
  readonly opsPage: boolean;
  /** Base address of an OTLP/HTTP collector; null: no traces. */
  readonly otlpEndpoint: string | null;
  /** Maximum number of model runs waiting for a thread before route requests are refused. */
  readonly maxWaiting: number;
  readonly maxEventLoopDelayMs: number;
  /** null: derived from the descriptor limit of the process. */
  readonly maxConnections: number | null;
}

export interface ServeOptions extends Operations {
  /**
   * Path of an exported bundle, of a link or pointer file to one, or of a folder of bundles; null: the bundle at
   * `watch`.
   */
  readonly bundle: string | null;
  readonly trust: string;
  /** null if the deployment has no revocation list. */
  readonly revocations: string | null;
  /** null: no state file, so a rollback to an older release is not detected. */
  readonly state: string | null;
  readonly host: string;
  readonly port: number;
  readonly environment: string;
  /** Must equal the signed setting of each bundle. */
  readonly allowExactEvents: boolean;
  /** Whether bundles of the environment `demonstration` may be loaded. */
  readonly allowDemonstration: boolean;
  /** Whether `/mcp` serves clients of the Model Context Protocol. */
  readonly mcp: boolean;
  readonly authorizer: AuthorizerOptions;
  readonly trustedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** null: `usualThreads`. */
  readonly workers: number | null;
  /** null: the default limit. */
  readonly bodyLimitBytes: number | null;
  readonly drainPauseMs: number;
  readonly log: "json" | "none";
}

export type ServeCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly options: ServeOptions };

export const helpText = `sluice-serve: answers /v1/route from one approved bundle

usage: sluice-serve --bundle DIR --trust FILE --port N [options]
       sluice-serve control status --control SOCKET
       sluice-serve control replace DIR --expected-generation N --control SOCKET
       sluice-serve control rollback --expected-generation N --control SOCKET

  --bundle DIR           exported bundle, link or pointer file to one, or folder of bundles
  --trust FILE           trust policy that this deployment pins
  --revocations FILE     signed revocation list; watched while the server runs
  --state FILE           highest release, policy and list that served here; lower ones are refused
  --port N               port to listen on; 0 = any free port
  --host H               address to listen on (127.0.0.1)
  --environment NAME     environment that the approvals must name (production)
  --allow-exact-events   serve a bundle whose signed policy routes by event; only callers whose
                         grant says events may name one; not with --authorizer local
  --allow-demonstration  serve a bundle that is approved for the environment demonstration only
  --mcp                  also answer the Model Context Protocol at /mcp: find_tools returns the
                         shortlist of a query, for the same callers (off)
  --authorizer FILE      module whose default export returns the caller's workflow ids;
                         "local" serves callers on this machine, every workflow
  --jwt-keys FILE|URL    key set of an issuer: callers send a bearer token
  --jwt-issuer NAME      issuer that a token must name
  --jwt-audience NAME    audience that a token must name
  --proxy-header NAME    header in which a proxy names the caller; repeat it for more headers
  --proxy-address A      address or range of the proxy; repeat it or separate by commas
  --grant-policy FILE    which callers may use which workflows, with --jwt-keys or --proxy-header
  --trusted-host H       accepted Host header; repeat it or separate by commas
  --cors-origin O        origin with cross-origin access; repeat it or separate by commas
  --workers N            scoring threads (2; 1 on a machine with a single core)
  --body-limit-bytes N   largest request body (2097152)
  --drain-pause-ms N     at shutdown: time from not ready to closed (0)
  --log json|none        JSON lines on standard output (json)
  --watch PATH           as --bundle; an approved bundle that appears there is put into service
  --control SOCKET       Unix socket for control commands; only its owner may use it
  --shadow DIR           second bundle that decides silently, for comparison
  --shadow-environment N environment that the approvals of the shadow must name (--environment)
  --metrics-port N       port of GET /metrics, for Prometheus; 0 = any free port (no metrics)
  --metrics-host H       address of GET /metrics (127.0.0.1)
  --ops-page             also show GET /ops there: a page for operators (off)
  --otlp-endpoint URL    OpenTelemetry collector that takes traces over HTTP (no traces)
  --max-waiting N        requests read and not answered, above which further ones get 503 (256)
  --max-event-loop-delay-ms N
                         delay of the event loop above which they are refused too (500)
  --max-connections N    connections at once (descriptor limit - 128, at most 4096)
  --help, --version

Each option has an environment variable, such as SLUICE_SERVE_TRUSTED_HOST; the option wins.
`;

const flags = {
  bundle: { type: "string" },
  trust: { type: "string" },
  revocations: { type: "string" },
  state: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  environment: { type: "string" },
  "allow-exact-events": { type: "boolean" },
  "allow-demonstration": { type: "boolean" },
  mcp: { type: "boolean" },
  authorizer: { type: "string" },
  "jwt-keys": { type: "string" },
  "jwt-issuer": { type: "string" },
  "jwt-audience": { type: "string" },
  "proxy-header": { type: "string", multiple: true },
  "proxy-address": { type: "string", multiple: true },
  "grant-policy": { type: "string" },
  "trusted-host": { type: "string", multiple: true },
  "cors-origin": { type: "string", multiple: true },
  workers: { type: "string" },
  "body-limit-bytes": { type: "string" },
  "drain-pause-ms": { type: "string" },
  log: { type: "string" },
  watch: { type: "string" },
  control: { type: "string" },
  shadow: { type: "string" },
  "shadow-environment": { type: "string" },
  "metrics-port": { type: "string" },
  "metrics-host": { type: "string" },
  "ops-page": { type: "boolean" },
  "otlp-endpoint": { type: "string" },
  "max-waiting": { type: "string" },
  "max-event-loop-delay-ms": { type: "string" },
  "max-connections": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;
type Switch = "allow-exact-events" | "allow-demonstration" | "mcp" | "ops-page";
type TextFlag = Exclude<keyof typeof flags, Switch | "help" | "version">;
type Values = Readonly<Partial<Record<TextFlag, string | readonly string[]> & Record<Switch, string | boolean>>>;

const hint = "Run sluice-serve --help for all options.";

/**
 * Parses a command line and its environment variables.
 * @param argv  arguments after the program name
 * @throws {SluiceError} USAGE
 */
export function parseServeArguments(argv: readonly string[], env: Readonly<NodeJS.ProcessEnv>): ServeCommand {
  const given = parseFlags(argv);
  if (given.help === true) return { kind: "help" };
  if (given.version === true) return { kind: "version" };
  const values: Values = { ...fromEnvironment(env), ...given };
  const log = text(values, "log") ?? "json";
  const allowDemonstration = isOn(values, "allow-demonstration");
  const environment = environmentOf(values, allowDemonstration);
  if (log !== "json" && log !== "none") throw usage(`--log: found ${log}, expected json or none`);
  return {
    kind: "serve",
    options: {
      bundle: values["watch"] === undefined ? required(values, "bundle") : textOrNull(values, "bundle"),
      trust: required(values, "trust"),
      revocations: textOrNull(values, "revocations"),
      state: textOrNull(values, "state"),
      host: text(values, "host") ?? "127.0.0.1",
      port: wholeNumber("port", required(values, "port"), 0, 65_535),
      environment,
      allowExactEvents: isOn(values, "allow-exact-events"),
      allowDemonstration,
      mcp: isOn(values, "mcp"),
      authorizer: authorizerOptions(values),
      trustedHosts: list(values, "trusted-host"),
      corsOrigins: list(values, "cors-origin"),
      workers: optionalNumber(values, "workers", 1, 64),
      bodyLimitBytes: optionalNumber(values, "body-limit-bytes", 1024, 8_388_608),
      drainPauseMs: wholeNumber("drain-pause-ms", text(values, "drain-pause-ms") ?? "0", 0, 600_000),
      log,
      ...operations(values, environment),
    },
  };
}

/** The flag alone sets the environment, so that a command line has only one meaning. */
function environmentOf(values: Values, allowDemonstration: boolean): string {
  const named = text(values, "environment");
  if (!allowDemonstration) return named ?? "production";
  if (named === undefined || named === demonstrationEnvironment) return demonstrationEnvironment;
  throw usage(
    `--allow-demonstration serves the environment ${demonstrationEnvironment}, but --environment is ${named}`,
  );
}

/** A switch is on if its flag is given or its variable is "true". */
function isOn(values: Values, flag: Switch): boolean {
  const value = values[flag] ?? false;
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw usage(`--${flag}: found ${value} in the environment, expected true or false`);
}

/** Parses the monitoring and overload options. */
function operations(values: Values, environment: string): Operations {
  return {
    watch: textOrNull(values, "watch"),
    control: textOrNull(values, "control"),
    shadow: textOrNull(values, "shadow"),
    shadowEnvironment: text(values, "shadow-environment") ?? environment,
    metricsPort: optionalNumber(values, "metrics-port", 0, 65_535),
    metricsHost: text(values, "metrics-host") ?? "127.0.0.1",
    opsPage: opsPage(values),
    otlpEndpoint: endpoint(values),
    maxWaiting: wholeNumber("max-waiting", text(values, "max-waiting") ?? "256", 1, 100_000),
    maxEventLoopDelayMs: eventLoopDelay(values),
    maxConnections: optionalNumber(values, "max-connections", 2, 1_000_000),
  };
}

/** The page is served at the metrics address, so that clients of the service cannot reach it. */
function opsPage(values: Values): boolean {
  const on = isOn(values, "ops-page");
  if (on && values["metrics-port"] === undefined) throw usage("--ops-page needs --metrics-port");
  return on;
}

/** Parses the options of one authentication method, and refuses those of any other. */
function authorizerOptions(values: Values): AuthorizerOptions {
  const ways = ["authorizer", "jwt-keys", "proxy-header"] as const;
  const [way, another] = ways.filter((flag) => values[flag] !== undefined);
  if (another !== undefined)
    throw usage(`--${way} and --${another} both authenticate the caller, expected one of them`);
  const belongs = new Map<TextFlag, readonly string[]>([
    ["jwt-issuer", ["jwt-keys"]],
    ["jwt-audience", ["jwt-keys"]],
    ["proxy-address", ["proxy-header"]],
    ["grant-policy", ["jwt-keys", "proxy-header"]],
  ]);
  for (const [flag, owners] of belongs) {
    if (values[flag] === undefined || owners.includes(way ?? "")) continue;
    throw usage(`--${flag} needs --${owners.join(" or --")}`);
  }
  if (way === undefined) return { kind: "none" };
  if (way === "authorizer") {
    const file = required(values, "authorizer");
    return file === "local" ? { kind: "local" } : { kind: "module", file };
  }
  const policy = required(values, "grant-policy");
  if (way === "proxy-header") {
    const addresses = list(values, "proxy-address");
    if (addresses.length === 0) throw usage("--proxy-address is missing");
    return { kind: "proxy", headers: list(values, "proxy-header"), addresses, policy };
  }
  const [issuer, audience] = [required(values, "jwt-issuer"), required(values, "jwt-audience")];
  return { kind: "token", keys: required(values, "jwt-keys"), issuer, audience, policy };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : "the options are not valid");
  }
}

function fromEnvironment(env: Readonly<NodeJS.ProcessEnv>): Values {
  const names = Object.keys(flags).filter((name) => name !== "help" && name !== "version");
  const found = names.map((name) => [name, env[`SLUICE_SERVE_${name.toUpperCase().replaceAll("-", "_")}`]] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== ""));
}

function usage(message: string): SluiceError {
  return new SluiceError("USAGE", message, { hint });
}

function text(values: Values, flag: TextFlag): string | undefined {
  const value = values[flag];
  return typeof value === "string" ? value : undefined;
}

function textOrNull(values: Values, flag: TextFlag): string | null {
  return text(values, flag) ?? null;
}

function required(values: Values, flag: TextFlag): string {
  const value = text(values, flag);
  if (value === undefined || value === "") throw usage(`--${flag} is missing`);
  return value;
}

/** An http or https address without credentials, because arguments and variables are visible to other processes. */
function endpoint(values: Values): string | null {
  const value = text(values, "otlp-endpoint");
  if (value === undefined) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isPlain = url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
  if (isPlain) return value;
  throw usage("--otlp-endpoint: expected an http or https address without a user, for example http://127.0.0.1:4318");
}

function eventLoopDelay(values: Values): number {
  return wholeNumber("max-event-loop-delay-ms", text(values, "max-event-loop-delay-ms") ?? "500", 10, 60_000);
}

function list(values: Values, flag: TextFlag): readonly string[] {
  const value = values[flag] ?? [];
  const entries = typeof value === "string" ? [value] : value;
  return entries
    .flatMap((entry) => entry.split(","))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function wholeNumber(flag: TextFlag, value: string, minimum: number, maximum: number): number {
  const number = /^\d{1,9}$/u.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw usage(`--${flag}: found ${value}, expected a whole number from ${minimum} to ${maximum}`);
}

function optionalNumber(values: Values, flag: TextFlag, minimum: number, maximum: number): number | null {
  const value = text(values, flag);
  return value === undefined ? null : wholeNumber(flag, value, minimum, maximum);
}
