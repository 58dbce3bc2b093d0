import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { canonicalBytes } from "../digest/canonical-json.js";
import { checkSchema } from "../domain/check-schema.js";
import { closed, Sha256Schema, TimestampSchema } from "../domain/primitives.js";
import { SluiceError } from "../errors/error.js";
import { readStrictJson } from "./strict-json.js";
import { parseTime } from "./validity.js";
import type { VerifiedBundle } from "./verify/verify-bundle.js";
import { replaceFile } from "./write-new-file.js";

const CounterSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The highest values that a server has seen; none of them ever goes down. */
const ReleaseStateSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    trust_version: CounterSchema,
    /** 0 when there was no revocation list. */
    revocation_sequence: CounterSchema,
    last_seen: TimestampSchema,
    environments: Type.Record(
      Type.String(),
      Type.Object({ release: CounterSchema, bundle_id: Sha256Schema, rollback_floor: CounterSchema }, closed),
    ),
  },
  closed,
);
type ReleaseState = Static<typeof ReleaseStateSchema>;

const fileMode = 0o600;

async function readState(path: string): Promise<ReleaseState | null> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return null;
    throw new SluiceError("READ_FAILED", `${path}: cannot be read (${cause.code ?? "unknown"})`, { cause });
  });
  return bytes === null ? null : checkSchema(ReleaseStateSchema, readStrictJson(bytes, path), path);
}

function requireClock(state: ReleaseState, { trust, now }: VerifiedBundle["question"]): void {
  if (now.getTime() >= parseTime(state.last_seen, "last_seen") - trust.clockSkewMs) return;
  throw new SluiceError("CLOCK_ROLLBACK", `the clock shows a time before ${state.last_seen}, which was seen already`, {
    hint: "Set the clock of this machine; every end date is compared with it.",
  });
}

function requireVersions(state: ReleaseState, { trust, revocations }: VerifiedBundle["question"]): void {
  const version = trust.policy.version;
  if (version < state.trust_version) {
    throw new SluiceError(
      "TRUST_ROLLBACK",
      `trust policy ${version} was given, ${state.trust_version} was in force here`,
    );
  }
  const sequence = revocations?.predicate.sequence ?? 0;
  if (sequence >= state.revocation_sequence) return;
  const seen = state.revocation_sequence;
  throw new SluiceError("REVOCATIONS_ROLLBACK", `revocation list ${sequence} was given, list ${seen} was seen here`);
}

function requireRelease(state: ReleaseState, { manifest, bundleId, question }: VerifiedBundle): void {
  const known = state.environments[question.environment];
  if (known === undefined) return;
  const { release } = manifest;
  if (release < known.rollback_floor) {
    const text = `release ${release} is below the signed floor ${known.rollback_floor} of release ${known.release}`;
    throw new SluiceError("ROLLBACK_BELOW_FLOOR", text, {
      hint: "Release the wanted content again with a new number.",
    });
  }
  if (release !== known.release || bundleId === known.bundle_id) return;
  throw new SluiceError("COUNTER_CONFLICT", `release ${release} was bundle ${known.bundle_id}, and is now ${bundleId}`);
}

/**
 * Compares a verified bundle with the highest values that this server has seen.
 * @returns writes the new highest values; call it once the bundle serves
 * @throws {SluiceError} ROLLBACK_BELOW_FLOOR, COUNTER_CONFLICT, TRUST_ROLLBACK, REVOCATIONS_ROLLBACK, CLOCK_ROLLBACK,
 *   READ_FAILED, SCHEMA_INVALID; the returned function: WRITE_FAILED
 */
export async function checkReleaseState(path: string, verified: VerifiedBundle): Promise<() => Promise<void>> {
  const { question, manifest, bundleId } = verified;
  const state = await readState(path);
  if (state !== null) {
    requireClock(state, question);
    requireVersions(state, question);
    requireRelease(state, verified);
  }
  const known = state?.environments[question.environment];
  const newest =
    known !== undefined && known.release > manifest.release
      ? known
      : { release: manifest.release, bundle_id: bundleId };
  const next: ReleaseState = {
    schema_version: 1,
    trust_version: question.trust.policy.version,
    revocation_sequence: question.revocations?.predicate.sequence ?? 0,
    last_seen: latest(state?.last_seen, question.now),
    environments: {
      ...state?.environments,
      [question.environment]: {
        ...newest,
        rollback_floor: Math.max(known?.rollback_floor ?? 0, manifest.rollbackFloor),
      },
    },
  };
  return () => replaceFile(path, canonicalBytes(next), fileMode);
}

function latest(seen: string | undefined, now: Date): string {
  const time = `${now.toISOString().slice(0, 19)}Z`;
  return seen !== undefined && seen > time ? seen : time;
}
