import { SluiceError } from "../src/base/error.js";
import { argument, type OptionsOf, requiredArgument, resolveOptions } from "../src/base/options.js";

/** The default admits a list of 50,000 workflow ids of 38 characters each. */
const bodyLimit = { default: 2_097_152, minimum: 1024, maximum: 8_388_608 } as const;
const authorizerTimeout = { default: 1000, minimum: 1, maximum: 60_000 } as const;
const requestTimeout = { default: 12_000, minimum: 100, maximum: 600_000 } as const;
const headersTimeout = { default: 5000, minimum: 100, maximum: 600_000 } as const;
const keepAliveTimeout = { default: 72_000, minimum: 100, maximum: 600_000 } as const;
const connections = { default: 800, minimum: 2, maximum: 1_000_000 } as const;
const hostLabel = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostPattern = new RegExp(`^(?:\\*\\.)?${hostLabel}(?:\\.${hostLabel})*$`, "u");
const ipv6Pattern = /^\[[0-9a-f:.]{2,45}\]$/u;

const apiSettingsOptions = {
  /** 1 to 100 host names without port; `*.example.com` covers every name below example.com. */
  trustedHosts: requiredArgument<readonly string[]>("list"),
  /** Up to 100 origins such as `https://app.example.com`; empty means no cross-origin access. */
  corsOrigins: requiredArgument<readonly string[]>("list"),
  /** Maximum size of a request body in bytes, 1,024 to 8,388,608; default 2,097,152. */
  bodyLimitBytes: argument<number>("number"),
  /** Time limit of the authorizer in milliseconds, 1 to 60,000; default 1,000. */
  authorizerTimeoutMs: argument<number>("number"),
  /** Time limit for receiving a whole request in milliseconds, 100 to 600,000; default 12,000. */
  requestTimeoutMs: argument<number>("number"),
  /** Time limit for receiving the headers of a request in milliseconds, at most `requestTimeoutMs`; default 5,000. */
  headersTimeoutMs: argument<number>("number"),
  /** How long an idle connection stays open in milliseconds, 100 to 600,000; default 72,000. */
  keepAliveTimeoutMs: argument<number>("number"),
  /**
   * Maximum number of connections, 2 to 1,000,000. The default of 800 fits the usual limit of 1,024 descriptors;
   * sluice-serve derives it from the actual limit.
   */
  maxConnections: argument<number>("number"),
} as const;

/** Settings for operators. Numbers outside their range are refused. */
export type ApiSettingsOptions = OptionsOf<typeof apiSettingsOptions>;

/** Settings of the HTTP layer. Created by `productionDefaults` or `development`; immutable. */
export class ApiSettings {
  readonly production: boolean;
  readonly trustedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly bodyLimitBytes: number;
  readonly authorizerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxConnections: number;

  private constructor(production: boolean, given: ApiSettingsOptions) {
    const options = resolveOptions(production ? "productionDefaults" : "development", apiSettingsOptions, given);
    this.production = production;
    this.trustedHosts = checkHosts(options.trustedHosts, production);
    this.corsOrigins = checkOrigins(options.corsOrigins, production);
    this.bodyLimitBytes = checkRange("bodyLimitBytes", options.bodyLimitBytes, bodyLimit);
    this.authorizerTimeoutMs = checkRange("authorizerTimeoutMs", options.authorizerTimeoutMs, authorizerTimeout);
    this.requestTimeoutMs = checkRange("requestTimeoutMs", options.requestTimeoutMs, requestTimeout);
    this.headersTimeoutMs = checkRange("headersTimeoutMs", options.headersTimeoutMs, {
      ...headersTimeout,
      default: Math.min(headersTimeout.default, this.requestTimeoutMs),
      maximum: this.requestTimeoutMs,
    });
    this.keepAliveTimeoutMs = checkRange("keepAliveTimeoutMs", options.keepAliveTimeoutMs, keepAliveTimeout);
    this.maxConnections = checkRange("maxConnections", options.maxConnections, connections);
    Object.freeze(this);
  }

  /**
   * Hardened settings: trusted hosts and origins must be listed, and an authorizer is required.
   * @throws {SluiceError} PRODUCTION_CONFIGURATION, ARGUMENT_INVALID
   */
  static productionDefaults(options: ApiSettingsOptions): ApiSettings {
    return new ApiSettings(true, options);
  }

  /**
   * Any host, cross-origin access only for listed origins, no authorizer required. @throws {SluiceError} as
   * `productionDefaults`
   */
  static development(options: Partial<ApiSettingsOptions> = {}): ApiSettings {
    return new ApiSettings(false, { trustedHosts: ["*"], corsOrigins: [], ...options });
  }
}

function refuse(message: string, hint: string): never {
  throw new SluiceError("PRODUCTION_CONFIGURATION", message, { hint });
}

function checkHosts(hosts: readonly string[], production: boolean): readonly string[] {
  if (hosts.length < 1 || hosts.length > 100) {
    refuse(`found ${hosts.length} trusted hosts, expected 1 to 100`, "List the hosts that clients use.");
  }
  return Object.freeze(hosts.map((host) => checkHost(host, production)));
}

function checkHost(host: string, production: boolean): string {
  const name = host.toLowerCase();
  if (name === "*" && !production) return name;
  if (hostPattern.test(name) || ipv6Pattern.test(name)) return name;
  return refuse(
    `"${host}" is not a trusted host name`,
    "Use a name without scheme, port and path; a wildcard only as *.example.com.",
  );
}

function checkOrigins(origins: readonly string[], production: boolean): readonly string[] {
  if (origins.length > 100) refuse(`found ${origins.length} CORS origins, expected at most 100`, "Remove some.");
  return Object.freeze(origins.map((origin) => checkOrigin(origin, production)));
}

function checkOrigin(origin: string, production: boolean): string {
  if (origin === "*" && !production) return origin;
  if (/^https?:\/\//u.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  return refuse(
    `"${origin}" is not a CORS origin`,
    "Use scheme, host and port as a browser sends them, for example https://app.example.com.",
  );
}

function checkRange(
  name: string,
  value: number | undefined,
  range: { readonly default: number; readonly minimum: number; readonly maximum: number },
): number {
  const number = value ?? range.default;
  if (Number.isInteger(number) && number >= range.minimum && number <= range.maximum) return number;
  return refuse(`${name} is ${number}`, `Use a whole number from ${range.minimum} to ${range.maximum}.`);
}
