import { canonicalJson } from "../../../base/canonical-json.js";
import { sha256Hex } from "../../../base/sha256.js";
import type { TextGuard } from "../../../documents/guard.js";
import type { Manifest } from "../../../documents/signed.js";

/** Guards as pinned in a manifest: their ids for readers, and a digest of every word and pattern. */
export function guardsIdentity(guards: readonly TextGuard[]): Manifest["guards"] {
  return { guard_ids: guards.map((guard) => guard.guard_id), sha256: sha256Hex(canonicalJson(guards)) };
}
