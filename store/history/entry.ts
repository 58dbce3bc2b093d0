import { Type } from "../../src/base/typebox.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import type { Sha256 } from "../../src/base/sha256.js";
import { object, Sha256Schema, TimestampSchema } from "../../src/documents/primitives.js";
import type { HistoryKind } from "../../src/documents/choices.js";

export interface HistoryEntry {
  /** Sequence number, starting at 1, without gaps. */
  readonly seq: number;
  readonly kind: HistoryKind;
  readonly actor: string;
  /** UTC, whole seconds. */
  readonly at: string;
  /** SHA-256 of the record in lower-case hex, which is the id of the record. */
  readonly sha256: Sha256;
  /** Size of the record in bytes. */
  readonly size: number;
  /** SHA-256 digests of additional blobs, sorted. */
  readonly attachments: readonly string[];
}

/** The part of an entry that its Merkle leaf covers. */
export type LeafFields = Pick<HistoryEntry, "seq" | "at" | "kind" | "actor" | "sha256" | "attachments">;

/** A leaf in its JSON form. */
export const LeafBodySchema = object({
  seq: Type.Integer({ minimum: 1 }),
  at: TimestampSchema,
  kind: Type.String(),
  actor: Type.String(),
  record_sha256: Sha256Schema,
  attachments: Type.Array(Sha256Schema),
});

/** Canonical bytes of a leaf. A change to any field changes the root of the history. */
export function leafBody({ seq, at, kind, actor, sha256, attachments }: LeafFields): Buffer {
  return canonicalBytes({ seq, at, kind, actor, record_sha256: sha256, attachments });
}
