import { parseArgs } from "node:util";
import { demonstrationEnvironment } from "../src/documents/signed.js";
import { SluiceError } from "../src/base/error.js";
import type { AuthorizerOptions } from "./authorizers/configure-authorizer.js";

/** Settings of one server, as `parseServeArguments` reads them. */
export type ServeOptions = Readonly<ReturnType<typeof serveOptions>>;

export type ServeCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly options: ServeOptions };

type Flag<T extends "string" | "boolean", M extends boolean> = {
  readonly type: T;
  readonly multiple: M;
  readonly holder: string;
  readonly about: string;
};
const single = (holder: string, about: string): Flag<"string", false> => ({
  type: "string",
  multiple: false,
  holder,
  about,
});
const several = (holder: string, about: string): Flag<"string", true> => ({
  type: "string",
  multiple: true,
  holder,
  about,
});
const toggle = (about: string): Flag<"boolean", false> => ({ type: "boolean", multiple: false, holder: "", about });

/** Every option in the order of the help text. */
const flags = {
  bundle: single("DIR", "exported bundle, link or pointer file to one, or folder of bundles"),
  trust: single("FILE", "trust policy that this deployment pins"),
  revocations: single(
    "FILE",
    "signed revocation list, watched while the server runs; default: revocations.json next to the trust policy, if it is there",
  ),
  state: single("FILE", "file that records the highest release, trust policy and revocation list served here"),
  port: single("N", "port to listen on; 0 = any free port"),
  host: single("H", "address to listen on (127.0.0.1)"),
  environment: single("NAME", "environment that the approvals must name (production)"),
  "allow-exact-events": toggle(
    "serve a bundle whose policy routes by event; only callers with the events grant may name one; not with --authorizer local",
  ),
  "allow-demonstration": toggle("serve a bundle that is approved for the environment demonstration only"),
  mcp: toggle(
    "also answer the Model Context Protocol at /mcp: find_tools returns the shortlist of a query, for the same callers (off)",
  ),
  authorizer: single(
    "FILE",
    'module whose default export returns the caller\'s workflow ids; "local" allows callers on this machine every workflow',
  ),
  "proxy-header": several("NAME", "header in which a proxy names the caller; repeat it for more headers"),
  "proxy-address": several("A", "address or range of the proxy; repeat it or separate by commas"),
  "grant-policy": single("FILE", "which callers may use which workflows, with --proxy-header"),
  "trusted-host": several("H", "accepted Host header; repeat it or separate by commas"),
  "cors-origin": several("O", "origin with cross-origin access; repeat it or separate by commas"),
  workers: single("N", "scoring threads (2; 1 on a machine with a single core)"),
  "body-limit-bytes": single("N", "largest request body (2097152)"),
  "drain-pause-ms": single("N", "at shutdown: pause between reporting not ready and closing (0)"),
  log: single("json|none", "JSON lines on standard output (json)"),
  watch: single("PATH", "as --bundle; an approved bundle that appears there is put into service"),
  control: single("SOCKET", "Unix socket for control commands; only its owner may use it"),
  shadow: single("DIR", "second bundle that decides silently, for comparison"),
  "shadow-environment": single("N", "environment that the approvals of the shadow must name (--environment)"),
  "metrics-port": single("N", "port of GET /metrics, for Prometheus; 0 = any free port (no metrics)"),
  "metrics-host": single("H", "address of GET /metrics (127.0.0.1)"),
  "ops-page": toggle("also show GET /ops there: a page for operators (off)"),
  "otlp-endpoint": single("URL", "OpenTelemetry collector that takes traces over HTTP (no traces)"),
  "max-waiting": single("N", "most unanswered requests; further ones get 503 (256)"),
  "max-event-loop-delay-ms": single("N", "delay of the event loop above which new requests get 503 (500)"),
  "max-connections": single("N", "connections at once (descriptor limit - 128, at most 4096)"),
} as const;

/** Column at which the help text explains an option, and its width. */
const [column, width] = [25, 98];

/** An option of the help text, with its explanation folded at spaces. */
function helpOf([name, { holder, about }]: [string, Flag<"string" | "boolean", boolean>]): string {
  const head = `  --${name}${holder === "" ? "" : ` ${holder}`}`;
  const lines = about.match(new RegExp(`.{1,${width - column}}(?= |$)`, "g")) ?? [];
  const [first = "", ...more] = lines.map((line) => line.trim());
  const indented = more.map((line) => `${" ".repeat(column)}${line}`);
  if (head.length >= column) return [head, `${" ".repeat(column)}${first}`, ...indented].join("\n");
  return [head.padEnd(column) + first, ...indented].join("\n");
}

export const helpText = `sluice-serve: answers /v1/route from one approved bundle

usage: sluice-serve --bundle DIR --trust FILE --port N [options]
       sluice-serve control status --control SOCKET
       sluice-serve control replace DIR --expected-generation N --control SOCKET
       sluice-serve control rollback --expected-generation N --control SOCKET

${Object.entries(flags).map(helpOf).join("\n")}
  --help, --version

Each option has an environment variable, such as SLUICE_SERVE_TRUSTED_HOST; the option wins.
`;

const parsed = { ...flags, help: { type: "boolean", short: "h" }, version: { type: "boolean" } } as const;
type Switch = "allow-exact-events" | "allow-demonstration" | "mcp" | "ops-page";
type TextFlag = Exclude<keyof typeof flags, Switch>;
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
  return { kind: "serve", options: serveOptions({ ...fromEnvironment(env), ...given }) };
}

function serveOptions(values: Values) {
  const log = text(values, "log") ?? "json";
  const allowDemonstration = isOn(values, "allow-demonstration");
  const environment = environmentOf(values, allowDemonstration);
  if (log !== "json" && log !== "none") throw usage(`--log: found ${log}, expected json or none`);
  return {
    /** null: the bundle at `watch`. */
    bundle: values["watch"] === undefined ? required(values, "bundle") : textOrNull(values, "bundle"),
    trust: required(values, "trust"),
    /** null: `revocations.json` next to the trust policy if it is there at the start, otherwise no list. */
    revocations: textOrNull(values, "revocations"),
    /** null: no state file, so a rollback to an older release is not detected. */
    state: textOrNull(values, "state"),
    host: text(values, "host") ?? "127.0.0.1",
    port: wholeNumber("port", required(values, "port"), 0, 65_535),
    environment,
    /** Must equal the signed setting of each bundle. */
    allowExactEvents: isOn(values, "allow-exact-events"),
    allowDemonstration,
    mcp: isOn(values, "mcp"),
    authorizer: authorizerOptions(values),
    trustedHosts: list(values, "trusted-host"),
    corsOrigins: list(values, "cors-origin"),
    /** null: `usualThreads`. */
    workers: optionalNumber(values, "workers", 1, 64),
    /** null: the default limit. */
    bodyLimitBytes: optionalNumber(values, "body-limit-bytes", 1024, 8_388_608),
    drainPauseMs: wholeNumber("drain-pause-ms", text(values, "drain-pause-ms") ?? "0", 0, 600_000),
    log,
    /** Like `bundle`, but checked for changes while the server runs. null: the first bundle is never replaced. */
    watch: textOrNull(values, "watch"),
    control: textOrNull(values, "control"),
    shadow: textOrNull(values, "shadow"),
    shadowEnvironment: text(values, "shadow-environment") ?? environment,
    /** null: no metrics; 0: any free port. */
    metricsPort: optionalNumber(values, "metrics-port", 0, 65_535),
    metricsHost: text(values, "metrics-host") ?? "127.0.0.1",
    opsPage: opsPage(values),
    otlpEndpoint: endpoint(values),
    maxWaiting: wholeNumber("max-waiting", text(values, "max-waiting") ?? "256", 1, 100_000),
    maxEventLoopDelayMs: wholeNumber(
      "max-event-loop-delay-ms",
      text(values, "max-event-loop-delay-ms") ?? "500",
      10,
      60_000,
    ),
    /** null: derived from the descriptor limit of the process. */
    maxConnections: optionalNumber(values, "max-connections", 2, 1_000_000),
  } as const;
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

/** The page is served at the metrics address, so that clients of the service cannot reach it. */
function opsPage(values: Values): boolean {
  const on = isOn(values, "ops-page");
  if (on && values["metrics-port"] === undefined) throw usage("--ops-page needs --metrics-port");
  return on;
}

/** Parses the options of one authentication method, and refuses those of any other. */
function authorizerOptions(values: Values): AuthorizerOptions {
  const ways = ["authorizer", "proxy-header"] as const;
  const [way, another] = ways.filter((flag) => values[flag] !== undefined);
  if (another !== undefined)
    throw usage(`--${way} and --${another} both authenticate the caller, expected one of them`);
  for (const flag of ["proxy-address", "grant-policy"] as const) {
    if (values[flag] !== undefined && way !== "proxy-header") throw usage(`--${flag} needs --proxy-header`);
  }
  if (way === undefined) return { kind: "none" };
  if (way === "authorizer") {
    const file = required(values, "authorizer");
    return file === "local" ? { kind: "local" } : { kind: "module", file };
  }
  const policy = required(values, "grant-policy");
  const addresses = list(values, "proxy-address");
  if (addresses.length === 0) throw usage("--proxy-address is missing");
  return { kind: "proxy", headers: list(values, "proxy-header"), addresses, policy };
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: parsed, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : "the options are not valid");
  }
}

function fromEnvironment(env: Readonly<NodeJS.ProcessEnv>): Values {
  const found = Object.keys(flags).map(
    (name) => [name, env[`SLUICE_SERVE_${name.toUpperCase().replaceAll("-", "_")}`]] as const,
  );
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
