import type { FastifyRequest } from "fastify";
import { workflowIdGrammar } from "../src/documents/primitives.js";
import type { RouteRequest } from "../src/documents/request.js";
import { SluiceError } from "../src/base/error.js";
import type { RequestScope } from "./request-state.js";
import type { RouterRuntime } from "../src/router/runtime.js";
import { isLoopbackAddress } from "./listen.js";

/** Maximum number of ids that an authorizer may return. */
const maxIds = 50_000;

/** A request whose scope was filled by the deployment's hooks. */
export type ScopedRequest = FastifyRequest & { readonly scope: RequestScope };

/** What a caller may use. */
export interface Grant {
  readonly workflowIds: readonly string[];
  /** Whether the caller may name an event; events named by other callers are ignored. Default false. */
  readonly events?: boolean;
}

/**
 * Decides which workflows the caller may use; an empty list is valid and allows none. A plain list grants no events.
 * A frozen list that is returned again is not checked again. The caller is in `request.scope.authenticated_principal`; without one, an authorizer should deny.
 * @throws {AuthorizationDenied} to refuse the caller (403); anything else thrown is a failure (503)
 */
export type Authorizer = (
  request: ScopedRequest,
  payload: RouteRequest,
) => readonly string[] | Grant | Promise<readonly string[] | Grant>;

/** Thrown by an authorizer to refuse the caller. The message is never sent. */
export class AuthorizationDenied extends Error {
  override readonly name = "AuthorizationDenied";
}

/** Granted ids without duplicates. */
export interface GrantedIds {
  readonly ids: ReadonlySet<string>;
  /** In the order of the authorizer. Frozen, so that what is derived from a list can be kept with it. */
  readonly list: readonly string[];
}

export interface CheckedGrant {
  /** null if the authorizer returned no list. */
  readonly workflowIds: GrantedIds | null;
  readonly events: boolean;
}

/**
 * Calls the authorizer and checks the grant that it returns.
 * @param known  ids of the catalog, whose form is not checked again
 * @throws {SluiceError} AUTHORIZATION_DENIED, AUTHORIZATION_UNAVAILABLE for a failure or a time-out,
 *   AUTHORIZATION_FAILED for an invalid list
 */
export async function askedGrant(
  authorizer: Authorizer,
  request: ScopedRequest,
  payload: RouteRequest,
  { timeoutMs, known }: { readonly timeoutMs: number; readonly known: ReadonlySet<string> },
): Promise<CheckedGrant> {
  return checkGrant(await askAuthorizer(async () => authorizer(request, payload), timeoutMs), known);
}

async function askAuthorizer(ask: () => Promise<unknown>, timeoutMs: number): Promise<unknown> {
  try {
    return await withTimeLimit(ask, timeoutMs);
  } catch (cause) {
    if (isDenial(cause)) throw new SluiceError("AUTHORIZATION_DENIED", "the authorizer denied the caller", { cause });
    throw new SluiceError("AUTHORIZATION_UNAVAILABLE", "the authorizer failed or took too long", { cause });
  }
}

/**
 * The allow list for the router: the granted list, which a client's list can narrow but never widen. Without a granted
 * list nothing is allowed, whatever the client sent: in production the result is null, and the router declines for that
 * reason; in development, where null would allow everything, the result is an empty list.
 */
export function effectiveAllowList(
  requested: readonly string[] | null,
  granted: GrantedIds | null,
  production: boolean,
): readonly string[] | null {
  if (granted === null) return production ? null : [];
  return requested === null ? granted.list : requested.filter((id) => granted.ids.has(id));
}

/** Also compared by name, because an authorizer module may load its own copy of this package. */
function isDenial(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AuthorizationDenied";
}

function withTimeLimit<T>(run: () => Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new SluiceError("DEADLINE_EXCEEDED", `the authorizer took longer than ${timeoutMs} ms`));
    }, timeoutMs);
    run()
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}

function checkGrant(granted: unknown, known: ReadonlySet<string>): CheckedGrant {
  if (granted === undefined || granted === null) return { workflowIds: null, events: false };
  if (Array.isArray(granted) || !isGrant(granted)) return { workflowIds: checkIds(granted, known), events: false };
  const { workflowIds, events = false } = granted;
  if (typeof events === "boolean") return { workflowIds: checkIds(workflowIds, known), events };
  throw new SluiceError(
    "AUTHORIZATION_FAILED",
    "the authorizer returned a value for events that is neither true nor false",
  );
}

function isGrant(granted: unknown): granted is { readonly workflowIds: unknown; readonly events?: unknown } {
  return typeof granted === "object" && granted !== null && "workflowIds" in granted;
}

/** Lists that cannot change, which are checked once: a large one takes milliseconds of the main thread. */
const checkedLists = new WeakMap<readonly unknown[], GrantedIds>();

function checkIds(granted: unknown, known: ReadonlySet<string>): GrantedIds {
  if (!Array.isArray(granted)) throw new SluiceError("AUTHORIZATION_FAILED", "the authorizer did not return a list");
  const checked = checkedLists.get(granted);
  if (checked !== undefined) return checked;
  if (granted.length > maxIds) {
    throw new SluiceError(
      "AUTHORIZATION_FAILED",
      `the authorizer returned ${granted.length} ids, at most ${maxIds} are allowed`,
    );
  }
  const ids = new Set<string>();
  for (const id of granted as readonly unknown[]) {
    if (typeof id !== "string" || !(known.has(id) || workflowIdGrammar.test(id))) {
      throw new SluiceError("AUTHORIZATION_FAILED", "the authorizer returned an entry that is not a workflow id");
    }
    ids.add(id);
  }
  const found = { ids, list: Object.freeze([...ids]) };
  if (Object.isFrozen(granted)) checkedLists.set(granted, found);
  return found;
}

/**
 * @throws {SluiceError} PRODUCTION_CONFIGURATION if other machines can reach this address
 */
export function requireLocalHost(host: string): void {
  if (isLoopbackAddress(host)) return;
  throw new SluiceError(
    "PRODUCTION_CONFIGURATION",
    `other machines can reach ${host}, so callers must be authenticated`,
    {
      hint: "Choose another authorizer with --authorizer FILE, or listen on --host 127.0.0.1.",
    },
  );
}

/**
 * Authorizer for a server that only this machine can reach: local callers may use every workflow of the active bundle.
 * Remote callers are denied, in case the socket is forwarded.
 * @param host  address that the server listens on
 * @throws {SluiceError} PRODUCTION_CONFIGURATION if other machines can reach that address
 */
export function localAuthorizer(runtime: RouterRuntime, host: string): Authorizer {
  requireLocalHost(host);
  const lists = new WeakMap<ReadonlySet<string>, readonly string[]>();
  return async (request) => {
    if (!isLoopbackAddress(request.socket.remoteAddress ?? "")) {
      throw new AuthorizationDenied("the caller is not on this machine");
    }
    request.scope.authenticated_principal ??= "local";
    const { workflowIds } = runtime.router;
    const list = lists.get(workflowIds) ?? Object.freeze([...workflowIds]);
    lists.set(workflowIds, list);
    return list;
  };
}
