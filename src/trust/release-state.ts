import { type Static, Type } from "../base/typebox.js";
import { canonicalBytes } from "../base/canonical-json.js";
import { checkSchema } from "../documents/check-schema.js";
import { BundleIdSchema, object, Sha256Schema, TimestampSchema } from "../documents/primitives.js";
import { SluiceError } from "../base/error.js";
import { readStrictJson } from "./strict-json.js";
import { parseTrustPolicy } from "./trust-policy.js";
import { parseTime } from "./validity.js";
import {
  identityOfList,
  type ListIdentity,
  openRevocations,
  requireFollows,
  type Revocations,
} from "./verify/revocations.js";
import type { VerifiedBundle } from "./verify/verify-bundle.js";
import { readStoredIfThere, replaceFile } from "../base/files.js";

const CounterSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The highest values that a server has seen; none ever decreases. */
const ReleaseStateSchema = object({
  schema_version: Type.Literal(1),
  trust_version: CounterSchema,
  /** 0 without a revocation list. */
  revocation_sequence: CounterSchema,
  /** Digest of the list with that number; null without one. */
  revocation_sha256: Type.Union([Sha256Schema, Type.Null()]),
  /** What that list revokes, as kind and digest; no later list may lack one. */
  revoked: Type.Array(Type.String()),
  last_seen: TimestampSchema,
  environments: Type.Record(
    Type.String(),
    object({ release: CounterSchema, bundle_id: BundleIdSchema, rollback_floor: CounterSchema }),
  ),
});
/** The highest values that a server has seen, as stored in its state file. */
export type ReleaseState = Static<typeof ReleaseStateSchema>;

const nothingSeen: ReleaseState = {
  schema_version: 1,
  trust_version: 0,
  revocation_sequence: 0,
  revocation_sha256: null,
  revoked: [],
  last_seen: "1970-01-01T00:00:00Z",
  environments: {},
};

const fileMode = 0o600;
/** A state has a line for each environment and each revocation. */
const maxStateBytes = 2 ** 26;

/** null if the file does not exist. @throws {SluiceError} READ_FAILED, DOCUMENT_INVALID */
export async function readReleaseState(path: string): Promise<ReleaseState | null> {
  const bytes = await readStoredIfThere(path, { maxBytes: maxStateBytes });
  return bytes === null ? null : checkSchema(ReleaseStateSchema, readStrictJson(bytes, path), path);
}

function requireClock(state: ReleaseState, { trust, now }: VerifiedBundle["question"]): void {
  if (now.getTime() >= parseTime(state.last_seen, "last_seen") - trust.clockSkewMs) return;
  throw new SluiceError(
    "CLOCK_ROLLBACK",
    `the clock shows a time before ${state.last_seen}, which was already recorded`,
    {
      hint: "Correct the clock of this machine; expiry dates are compared with it.",
    },
  );
}

function listSeen(state: ReleaseState): ListIdentity | null {
  const { revocation_sequence: sequence, revocation_sha256: sha256, revoked } = state;
  return sha256 === null ? null : { sequence, sha256, revoked };
}

const listIn = (revocations: Revocations | null): ListIdentity | null =>
  revocations === null ? null : identityOfList(revocations.predicate);

function requireVersions(state: ReleaseState, { trust, revocations }: VerifiedBundle["question"]): void {
  const version = trust.policy.version;
  if (version < state.trust_version) {
    throw new SluiceError(
      "VERSION_ROLLBACK",
      `found trust policy ${version}, expected at least ${state.trust_version}, which was already used here`,
    );
  }
  requireFollows(listSeen(state), listIn(revocations));
}

function requireRelease(state: ReleaseState, { manifest, bundleId, question }: VerifiedBundle): void {
  const known = state.environments[question.environment];
  if (known === undefined) return;
  const { release } = manifest;
  if (release < known.rollback_floor) {
    const text = `release ${release} is below the signed floor ${known.rollback_floor} of release ${known.release}`;
    throw new SluiceError("ROLLBACK_BELOW_FLOOR", text, {
      hint: "Release the same content again with a new number.",
    });
  }
  if (release !== known.release || bundleId === known.bundle_id) return;
  throw new SluiceError("COUNTER_CONFLICT", `release ${release} was bundle ${known.bundle_id}, but is now ${bundleId}`);
}

/**
 * Compares a verified bundle with the highest values that this server has seen.
 * @returns a function that writes the new highest values; call it once the bundle serves
 * @throws {SluiceError} ROLLBACK_BELOW_FLOOR, COUNTER_CONFLICT, VERSION_ROLLBACK,
 *   REVOCATIONS_FORK, REVOCATIONS_JUMP, CLOCK_ROLLBACK, READ_FAILED, DOCUMENT_INVALID; the returned function: WRITE_FAILED
 */
export async function checkReleaseState(path: string, verified: VerifiedBundle): Promise<() => Promise<void>> {
  const state = await readReleaseState(path);
  if (state !== null) {
    requireClock(state, verified.question);
    requireVersions(state, verified.question);
    requireRelease(state, verified);
  }
  return () => changeState(path, (known) => raised(known, verified));
}

/** The highest values that a server has seen, even if no bundle serves. */
export interface Seen {
  readonly now: Date;
  /** Highest verified revocation list; null without one. */
  readonly list: ListIdentity | null;
}

/**
 * Raises the latest time and the highest revocation list in a state file. Lowers nothing, and records no release.
 * @throws {SluiceError} READ_FAILED, DOCUMENT_INVALID, WRITE_FAILED
 */
export function raiseSeen(path: string, seen: Seen): Promise<void> {
  return changeState(path, (known) => withSeen(known, seen));
}

/** Identifies a revocation list that verifies under the trust policy; null for any other list. */
export function verifiedList(
  trustPolicyBytes: Uint8Array,
  revocationBytes: Uint8Array,
  now: Date,
): ListIdentity | null {
  try {
    const trust = parseTrustPolicy(trustPolicyBytes);
    return identityOfList(openRevocations(revocationBytes, trust, now, "revocations").predicate);
  } catch {
    return null;
  }
}

/** The latest pending change of each state file. Changes of a file are made one after another, so that none is lost. */
const lastChanges = new Map<string, Promise<void>>();

function changeState(path: string, change: (known: ReleaseState) => ReleaseState): Promise<void> {
  const begin = lastChanges.get(path) ?? Promise.resolve();
  const changed = begin.then(async () => {
    const known = await readReleaseState(path);
    const bytes = canonicalBytes(change(known ?? nothingSeen));
    if (known !== null && canonicalBytes(known).equals(bytes)) return;
    await replaceFile(path, bytes, fileMode);
  });
  lastChanges.set(
    path,
    changed.catch(() => undefined),
  );
  return changed;
}

function withSeen(state: ReleaseState, { now, list }: Seen): ReleaseState {
  const time = `${now.toISOString().slice(0, 19)}Z`;
  // A list that was refused because of its number must not become the one that later lists have to follow.
  const highest = list !== null && mayFollow(listSeen(state), list) ? list : listSeen(state);
  return {
    ...state,
    revocation_sequence: highest?.sequence ?? 0,
    revocation_sha256: highest?.sha256 ?? null,
    revoked: [...(highest?.revoked ?? [])],
    last_seen: state.last_seen > time ? state.last_seen : time,
  };
}

function mayFollow(seen: ListIdentity | null, found: ListIdentity): boolean {
  try {
    requireFollows(seen, found);
    return true;
  } catch {
    return false;
  }
}

/** The state raised to the values of a bundle that serves. */
function raised(state: ReleaseState, { question, manifest, bundleId }: VerifiedBundle): ReleaseState {
  const known = state.environments[question.environment];
  const here = { release: manifest.release, bundle_id: bundleId };
  const highest = known === undefined || manifest.release >= known.release ? here : known;
  const { now, revocations, trust } = question;
  return {
    ...withSeen(state, { now, list: listIn(revocations) }),
    trust_version: Math.max(state.trust_version, trust.policy.version),
    environments: {
      ...state.environments,
      [question.environment]: {
        release: highest.release,
        bundle_id: highest.bundle_id,
        rollback_floor: Math.max(known?.rollback_floor ?? 0, manifest.rollback_floor),
      },
    },
  };
}

/**
 * A clock that never runs backwards: it returns the latest time that `clock` has shown, so what has expired stays
 * expired.
 */
export function latestClock(clock: () => Date): () => Date {
  let latest = clock().getTime();
  return () => {
    latest = Math.max(latest, clock().getTime());
    return new Date(latest);
  };
}
