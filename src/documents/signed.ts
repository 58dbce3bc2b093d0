import { type Static, Type } from "../base/typebox.js";
import { reproductionSources } from "./choices.js";
import { ExactEventsSchema } from "./policy.js";
import {
  BundleIdSchema,
  object,
  CountSchema,
  type ReadonlyStatic,
  Sha256Schema,
  TimestampSchema,
  VersionSchema,
} from "./primitives.js";

/**
 * Environment of bundles signed with demonstration keys, which anybody can use. Servers load such a bundle only with a
 * flag.
 */
export const demonstrationEnvironment = "demonstration";

/** DSSE v1 envelope. Unknown members are ignored, as DSSE requires; bundles also require canonical bytes. */
export const EnvelopeSchema = Type.Object({
  payload: Type.String(),
  payloadType: Type.String(),
  signatures: Type.Array(Type.Object({ keyid: Type.String(), sig: Type.String() })),
});
export type Envelope = Static<typeof EnvelopeSchema>;

const PlatformText = Type.String({ minLength: 1, maxLength: 80 });

/** A counter starting at 1, within the integers that every JSON reader represents exactly. */
const CounterSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Maximum number of signatures in an envelope. */
export const maxSignatures = 64;
/** Maximum number of approvals and rejections in a bundle; more are refused before any signature is checked. */
export const maxApprovals = 128;
/** Maximum size of an approval envelope in bytes; an approval with both texts at their limits needs about 40,000. */
export const maxApprovalBytes = 65_536;
/** Number of signatures tried per key and envelope, so that a damaged signature next to a valid one is harmless. */
export const maxTriesPerKey = 2;
/** Longest validity of an approval that a trust policy may permit, in days. */
export const maxApprovalDays = 366;
/** Largest clock skew that a trust policy may tolerate, in seconds. */
export const maxClockSkewSec = 900;
/**
 * Maximum increase of the sequence number from one revocation list to the next, so that no list can exhaust the numbers
 * of later ones.
 */
export const maxSequenceStep = 10_000;

export const statementPayloadType: string = "application/vnd.in-toto+json";
/** A trust policy has its own payload type, so that no signature is valid for both a policy and a statement. */
export const trustPayloadType: string = "application/vnd.sluice.trust-policy+json";
export const statementType = "https://in-toto.io/Statement/v1";
export const predicateTypes = {
  manifest: "https://sluice.dev/bundle/v1",
  approval: "https://sluice.dev/approval/v1",
  revocations: "https://sluice.dev/revocations/v1",
} as const;

export const FileEntrySchema = object({ path: Type.String({ minLength: 1 }), size: CountSchema, sha256: Sha256Schema });
export type FileEntry = Static<typeof FileEntrySchema>;

const ModelIdentitySchema = object({
  version: VersionSchema,
  dir_hash1: Sha256Schema,
  files: Type.Array(FileEntrySchema, { minItems: 1 }),
});
const FileIdentitySchema = object({ version: VersionSchema, sha256: Sha256Schema, bytes: CountSchema });

/** Predicate of the manifest: every identity that production compares with its own. */
export const ManifestSchema = object({
  schema_version: Type.Literal(1),
  bundle_version: VersionSchema,
  created_at: TimestampSchema,
  producer: Type.String({ minLength: 1 }),
  catalog: FileIdentitySchema,
  serializer: object({ version: VersionSchema, golden_sha256: Sha256Schema }),
  retriever: ModelIdentitySchema,
  verifier: ModelIdentitySchema,
  prefix: object({ query: Type.String(), document: Type.String() }),
  label_order: Type.Array(Type.String(), { minItems: 1, maxItems: 3 }),
  top_k: Type.Integer({ minimum: 1, maximum: 64 }),
  calibration: FileIdentitySchema,
  policy: FileIdentitySchema,
  exact_events: ExactEventsSchema,
  runtime: object({ onnxruntime: Type.String(), tool: Type.String() }),
  golden: FileIdentitySchema,
  /** Vectors of the catalog's texts; null if the retriever has no transformer. */
  vectors: Type.Union([FileIdentitySchema, Type.Null()]),
  evidence: Type.Array(object({ name: Type.String(), sha256: Sha256Schema })),
  /** Previously released bundle; null for the first release. */
  supersedes: Type.Union([BundleIdSchema, Type.Null()]),
  /** Release number within an environment, unique per bundle. */
  release: CounterSchema,
  /** Smallest release that may still run after this one has run. */
  rollback_floor: CounterSchema,
});
export type Manifest = ReadonlyStatic<typeof ManifestSchema>;

/** States that the approver derived the claim again before signing and obtained exactly these documents. */
export const StatedReproductionSchema = object({
  from: Type.Enum([...reproductionSources]),
  calibration_sha256: Sha256Schema,
  evaluation_sha256: Sha256Schema,
  /** The machine on which the claim was derived. */
  platform: object({
    platform: PlatformText,
    arch: PlatformText,
    node: PlatformText,
    onnxruntime: PlatformText,
    tool: PlatformText,
  }),
});
export type StatedReproduction = Static<typeof StatedReproductionSchema>;

export const ApprovalSchema = object({
  decision: Type.Enum(["approve", "reject"]),
  environment: Type.String({ minLength: 1 }),
  approver: Type.String({ minLength: 1 }),
  not_before: TimestampSchema,
  expires: TimestampSchema,
  /** SHA-256 of the signed part of the release page that the approver was shown. */
  page_sha256: Sha256Schema,
  reason: Type.String({ maxLength: 2000 }),
  /** Why the approver lets the bundle serve despite failed gates; null if none failed. */
  gate_override: Type.Union([Type.String({ minLength: 1, maxLength: 2000 }), Type.Null()]),
  /** Present only if the approver derived the claim again with an equal result. */
  reproduction: Type.Optional(StatedReproductionSchema),
});
export type Approval = Static<typeof ApprovalSchema>;

/** Target of a revocation. An approval is identified by the digest of its payload, a key by its key id. */
export const revocationKinds = ["bundle", "approval", "artifact", "key"] as const;
export type RevocationKind = (typeof revocationKinds)[number];

/** Predicate of a revocation list. It contains all revocations; entries are never removed. */
export const RevocationListSchema = object({
  schema_version: Type.Literal(1),
  /** Increases by at least one with every list. */
  sequence: CounterSchema,
  revoker: Type.String({ minLength: 1 }),
  issued_at: TimestampSchema,
  /** Time by which a newer list is expected. */
  next_update: TimestampSchema,
  revoked: Type.Array(
    object({
      /** Sequence number of the list in which the entry first appeared. */
      sequence: CounterSchema,
      kind: Type.Enum([...revocationKinds]),
      sha256: Sha256Schema,
      revoked_at: TimestampSchema,
      reason: Type.String({ maxLength: 2000 }),
    }),
    { maxItems: 4000 },
  ),
});
export type RevocationList = Static<typeof RevocationListSchema>;

export const SubjectSchema = object({ name: Type.String(), digest: Type.Record(Type.String(), Sha256Schema) });
export const StatementSchema = object({
  _type: Type.Literal(statementType),
  subject: Type.Array(SubjectSchema, { minItems: 1 }),
  predicateType: Type.String(),
  predicate: Type.Unknown(),
});
export type Statement = Static<typeof StatementSchema>;

const KeyEntrySchema = object({
  key_id: Sha256Schema,
  /** The raw 32 bytes in standard base64. */
  public_key: Type.String({ minLength: 44, maxLength: 44 }),
  valid_from: TimestampSchema,
  valid_until: TimestampSchema,
});

/** Who may sign what. Pinned by the deployment. People are principals, and may have several keys. */
export const TrustPolicySchema = object({
  schema_version: Type.Literal(1),
  version: CounterSchema,
  expires: TimestampSchema,
  principals: Type.Array(
    object({
      id: Type.String({ minLength: 1 }),
      display: Type.String(),
      keys: Type.Array(KeyEntrySchema, { minItems: 1 }),
    }),
    { minItems: 1 },
  ),
  roles: object({
    /** Who signs the next version of this policy, and how many signatures it requires. */
    root: object({ threshold: Type.Integer({ minimum: 1 }), principals: Type.Array(Type.String(), { minItems: 1 }) }),
    /** Principals who may revoke, each alone. */
    revoker: Type.Array(Type.String()),
    producer: Type.Array(Type.String()),
    approver: Type.Array(
      object({
        environment: Type.String(),
        threshold: Type.Integer({ minimum: 1 }),
        principals: Type.Array(Type.String()),
        /** Number of approvals that must state an equal reproduction of the claim; default 0. */
        require_reproduction: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    ),
  }),
  limits: object({
    max_approval_days: Type.Integer({ minimum: 1, maximum: maxApprovalDays }),
    clock_skew_sec: Type.Integer({ minimum: 0, maximum: maxClockSkewSec }),
    /** `required`: nothing verifies without a revocation list that has not passed its next update. */
    revocations: Type.Enum(["optional", "required"]),
  }),
});
export type TrustPolicy = ReadonlyStatic<typeof TrustPolicySchema>;

/** bundle.json lists every other file of an exported bundle. It is itself canonical JSON. */
export const BundleIndexSchema = object({
  schema_version: Type.Literal(1),
  bundle_id: BundleIdSchema,
  files: Type.Array(FileEntrySchema, { minItems: 1 }),
});
export type BundleIndex = Static<typeof BundleIndexSchema>;

/** Requests whose decisions the manifest fixes; the server checks them during warm-up. */
export const GoldenSchema = object({
  schema_version: Type.Literal(1),
  /** Largest accepted difference of a confidence. */
  tolerance: Type.Number({ minimum: 0 }),
  cases: Type.Array(
    object({
      text: Type.String(),
      decision: Type.String(),
      workflow_id: Type.Union([Type.String(), Type.Null()]),
      reason_code: Type.String(),
      confidence: Type.Number(),
    }),
    { minItems: 1 },
  ),
});
export type Golden = Static<typeof GoldenSchema>;
