import { parseArgs } from "node:util";
import { demonstrationEnvironment } from "../src/documents/signed.js";
import { command, say, SluiceError } from "../src/base/error.js";
import {
  byFlag,
  flag,
  kind,
  listKind,
  numberKind,
  type Option,
  optional,
  type OptionSet,
  preset,
  readOptions,
  repeated,
  required,
  type ValuesOf,
  wholeNumber,
} from "../src/base/options.js";
import type { AuthorizerOptions } from "./authorizers/configure-authorizer.js";

/** Settings of one server, as `parseServeArguments` reads them. */
export type ServeOptions = Readonly<ReturnType<typeof serveOptions>>;

export type ServeCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve"; readonly options: ServeOptions };

const path = (holder: string) => kind(holder, "a path", (raw) => raw || undefined);
const number = (least: number, most: number) =>
  numberKind("N", `a whole number from ${least} to ${most}`, (raw) => {
    const value = wholeNumber(raw, most);
    return value !== undefined && value >= least ? value : undefined;
  });
const name = (holder: string) => kind(holder, "a name", (raw) => raw || undefined);
/** Entries separated by commas. */
const entries = (holder: string) =>
  listKind(holder, "entries separated by commas", (raw) =>
    raw
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  );
const port = number(0, 65_535);
/** An http or https address without credentials, because arguments and variables are visible to other processes. */
const address = kind("URL", "an http or https address without a user, for example http://127.0.0.1:4318", (raw) => {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  const isPlain = url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? raw : undefined;
});
const log = kind("json|none", "json or none", (raw) => (["json", "none"] as const).find((word) => word === raw));

/** Every option in the order of the help text. */
const flags = {
  bundle: optional(path("DIR"), "exported bundle, link or pointer file to one, or folder of bundles"),
  trust: required(path("FILE"), "trust policy that this deployment pins"),
  revocations: optional(
    path("FILE"),
    "signed revocation list, watched while the server runs; default: revocations.json next to the trust policy, if it is there",
  ),
  state: optional(path("FILE"), "file that records the highest release, trust policy and revocation list served here"),
  port: required(port, "port to listen on; 0 = any free port"),
  host: preset(name("H"), "127.0.0.1", "address to listen on (127.0.0.1)"),
  environment: optional(name("NAME"), "environment that the approvals must name (production)"),
  allowExactEvents: flag(
    "serve a bundle whose policy routes by event; only callers with the events grant may name one; not with --authorizer local",
  ),
  allowDemonstration: flag("serve a bundle that is approved for the environment demonstration only"),
  mcp: flag(
    "also answer the Model Context Protocol at /mcp: find_tools returns the shortlist of a query, for the same callers (off)",
  ),
  authorizer: optional(
    path("FILE"),
    'module whose default export returns the caller\'s workflow ids; "local" allows callers on this machine every workflow',
  ),
  proxyHeader: repeated(entries("NAME"), "header in which a proxy names the caller; repeat it for more headers"),
  proxyAddress: repeated(entries("A"), "address or range of the proxy; repeat it or separate by commas"),
  grantPolicy: optional(path("FILE"), "which callers may use which workflows, with --proxy-header"),
  trustedHost: repeated(entries("H"), "accepted Host header; repeat it or separate by commas"),
  corsOrigin: repeated(entries("O"), "origin with cross-origin access; repeat it or separate by commas"),
  workers: optional(number(1, 64), "scoring threads (2; 1 on a machine with a single core)"),
  bodyLimitBytes: optional(number(1024, 8_388_608), "largest request body (2097152)"),
  drainPauseMs: preset(number(0, 600_000), "0", "at shutdown: pause between reporting not ready and closing (0)"),
  log: preset(log, "json", "JSON lines on standard output (json)"),
  watch: optional(path("PATH"), "as --bundle; an approved bundle that appears there is put into service"),
  control: optional(path("SOCKET"), "Unix socket for control commands; only its owner may use it"),
  shadow: optional(path("DIR"), "second bundle that decides silently, for comparison"),
  shadowEnvironment: optional(name("N"), "environment that the approvals of the shadow must name (--environment)"),
  metricsPort: optional(port, "port of GET /metrics, for Prometheus; 0 = any free port (no metrics)"),
  metricsHost: preset(name("H"), "127.0.0.1", "address of GET /metrics (127.0.0.1)"),
  opsPage: flag("also show GET /ops there: a page for operators (off)"),
  otlpEndpoint: optional(address, "OpenTelemetry collector that takes traces over HTTP (no traces)"),
  maxWaiting: preset(number(1, 100_000), "256", "most unanswered requests; further ones get 503 (256)"),
  maxEventLoopDelayMs: preset(
    number(10, 60_000),
    "500",
    "delay of the event loop above which new requests get 503 (500)",
  ),
  maxConnections: optional(number(2, 1_000_000), "connections at once (descriptor limit - 128, at most 4096)"),
} as const satisfies OptionSet;

/** Column at which the help text explains an option, and its width. */
const [column, width] = [25, 98];

/** An option of the help text, with its explanation folded at spaces. */
function helpOf([name, { placeholder, describe }]: [string, Option<unknown>]): string {
  const head = `  --${name}${placeholder === null ? "" : ` ${placeholder}`}`;
  const lines = describe.match(new RegExp(`.{1,${width - column}}(?= |$)`, "g")) ?? [];
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

${Object.entries(byFlag(flags)).map(helpOf).join("\n")}
  --help, --version

Each option has an environment variable, such as SLUICE_SERVE_TRUSTED_HOST; the option wins.
`;

const hint = say`Run ${command`sluice-serve --help`} for all options.`;

/**
 * Parses a command line and its environment variables.
 * @param argv  arguments after the program name
 * @throws {SluiceError} USAGE
 */
export function parseServeArguments(argv: readonly string[], env: Readonly<NodeJS.ProcessEnv>): ServeCommand {
  try {
    const given = parseFlags(argv);
    if (given["help"] === true) return { kind: "help" };
    if (given["version"] === true) return { kind: "version" };
    const textsOf = (flag: string): readonly string[] => {
      const value = given[flag] ?? env[`SLUICE_SERVE_${flag.toUpperCase().replaceAll("-", "_")}`];
      if (Array.isArray(value)) return value.map(String);
      if (typeof value === "boolean") return [String(value)];
      return typeof value === "string" && value !== "" ? [value] : [];
    };
    return { kind: "serve", options: serveOptions(readOptions(flags, textsOf, (flag) => `--${flag}`)) };
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : "the options are not valid");
  }
}

function parseFlags(argv: readonly string[]): Readonly<Record<string, unknown>> {
  const known = Object.entries(byFlag(flags)).map(([name, { placeholder }]) => [
    name,
    placeholder === null ? ({ type: "boolean" } as const) : ({ type: "string", multiple: true } as const),
  ]);
  const options = { ...Object.fromEntries(known), help: { type: "boolean", short: "h" }, version: { type: "boolean" } };
  return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
}

type Values = ValuesOf<typeof flags>;

/** Checks what no option says alone. */
function serveOptions(values: Values) {
  const { authorizer, proxyHeader, proxyAddress, grantPolicy, trustedHost, corsOrigin, ...others } = values;
  if (others.bundle === undefined && others.watch === undefined) throw usage("--bundle is missing");
  if (others.opsPage && others.metricsPort === undefined) throw usage("--ops-page needs --metrics-port");
  const environment = environmentOf(values);
  return {
    ...others,
    environment,
    shadowEnvironment: others.shadowEnvironment ?? environment,
    authorizer: authorizerOptions({ authorizer, proxyHeader, proxyAddress, grantPolicy }),
    trustedHosts: trustedHost.flat(),
    corsOrigins: corsOrigin.flat(),
  };
}

/** The flag alone sets the environment, so that a command line has only one meaning. */
function environmentOf({
  environment: named,
  allowDemonstration,
}: Pick<Values, "environment" | "allowDemonstration">): string {
  if (!allowDemonstration) return named ?? "production";
  if (named === undefined || named === demonstrationEnvironment) return demonstrationEnvironment;
  throw usage(
    `--allow-demonstration serves the environment ${demonstrationEnvironment}, but --environment is ${named}`,
  );
}

/** Reads the options of one authentication method, and refuses those of any other. */
function authorizerOptions({
  authorizer: file,
  proxyHeader,
  proxyAddress,
  grantPolicy: policy,
}: Pick<Values, "authorizer" | "proxyHeader" | "proxyAddress" | "grantPolicy">): AuthorizerOptions {
  const [headers, addresses] = [proxyHeader.flat(), proxyAddress.flat()];
  if (file !== undefined && proxyHeader.length > 0) {
    throw usage("--authorizer and --proxy-header both authenticate the caller, expected one of them");
  }
  if (proxyHeader.length === 0) {
    if (proxyAddress.length > 0) throw usage("--proxy-address needs --proxy-header");
    if (policy !== undefined) throw usage("--grant-policy needs --proxy-header");
    if (file === undefined) return { kind: "none" };
    return file === "local" ? { kind: "local" } : { kind: "module", file };
  }
  if (policy === undefined) throw usage("--grant-policy is missing");
  if (addresses.length === 0) throw usage("--proxy-address is missing");
  return { kind: "proxy", headers, addresses, policy };
}

const usage = (message: string): SluiceError => new SluiceError("USAGE", message, { hint });
