import { canonicalJson } from "../../digest/canonical-json.js";
import { sha256Hex } from "../../digest/sha256.js";
import { toSnake } from "../../domain/camel.js";
import type { TextGuard } from "../../domain/guard.js";
import type { ManifestPredicate } from "../../domain/signed.js";

/** Guards as pinned in a manifest: their ids for the reader, and a digest over every word and pattern. */
export function guardsIdentity(guards: readonly TextGuard[]): ManifestPredicate["guards"] {
  return { guardIds: guards.map((guard) => guard.guardId), sha256: sha256Hex(canonicalJson(toSnake(guards))) };
}
