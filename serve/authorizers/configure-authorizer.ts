import { resolve } from "node:path";
import { SluiceError } from "../../src/base/error.js";
import type { RouterRuntime } from "../../src/router/runtime.js";
import { type Authorizer, localAuthorizer, requireLocalHost } from "../authorizer.js";
import { loadAuthorizer } from "../load-authorizer.js";
import { namedWorkflows, readGrantPolicy } from "./grant-policy.js";
import { proxyAuthorizer } from "./proxy-authorizer.js";

export interface AuthorizerSurroundings {
  /** Address that the server listens on. */
  readonly host: string;
  /** Base folder of relative paths. */
  readonly directory: string;
}

/** Creates the authorizer once the runtime exists. */
export interface AuthorizerFactory {
  (runtime: RouterRuntime): Authorizer;
  /** Workflow ids that the grant policy names; absent without a policy. */
  readonly named?: readonly string[];
}

/**
 * Reads everything that an authorizer needs (module, policy) before a bundle is loaded.
 * @throws {SluiceError} PRODUCTION_CONFIGURATION, including when nothing is configured
 */
export async function configureAuthorizer(
  options: AuthorizerOptions,
  surroundings: AuthorizerSurroundings,
): Promise<AuthorizerFactory> {
  const { host, directory } = surroundings;
  const inDirectory = (file: string): string => resolve(directory, file);
  switch (options.kind) {
    case "none":
      throw new SluiceError("PRODUCTION_CONFIGURATION", "no authorizer is configured", {
        hint: "Use --proxy-header, --authorizer FILE, or --authorizer local for callers on this machine.",
      });
    case "local":
      requireLocalHost(host);
      return (runtime) => localAuthorizer(runtime, host);
    case "module": {
      const authorizer = await loadAuthorizer(options.file, directory);
      return () => authorizer;
    }
    case "proxy": {
      const { headers, addresses } = options;
      const policy = await readGrantPolicy(inDirectory(options.policy));
      const create = (runtime: RouterRuntime): Authorizer =>
        proxyAuthorizer({ headers, addresses, policy, workflowIds: idsOf(runtime) });
      return Object.assign(create, { named: namedWorkflows(policy) });
    }
  }
}

function idsOf(runtime: RouterRuntime): () => Iterable<string> {
  return () => runtime.router.workflowIds;
}

/** How a deployment grants workflows to callers. */
export type AuthorizerOptions =
  /** Nothing is configured; a production server then refuses to start. */
  | { readonly kind: "none" }
  /** Every workflow, for callers on this machine only. */
  | { readonly kind: "local" }
  /** JavaScript file whose default export is the authorizer. */
  | { readonly kind: "module"; readonly file: string }
  /** Headers written by a proxy in front of the server. */
  | {
      readonly kind: "proxy";
      /** Header names; the first one identifies the caller and is required. */
      readonly headers: readonly string[];
      /** Addresses or CIDR ranges of the proxies. */
      readonly addresses: readonly string[];
      readonly policy: string;
    };
