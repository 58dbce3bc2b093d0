import { RE2JS } from "re2js";
import { guardReasons, type TextGuard } from "../../../documents/guard.js";
import type { ReasonCode } from "../../../documents/decision.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { sha256Hex } from "../../../base/sha256.js";
import type { Manifest } from "../../../documents/signed.js";

export interface CompiledGuard {
  readonly guardId: string;
  readonly reasonCode: ReasonCode;
  /** Whether the guard stops this text. Pure; takes time linear in the length of the text. */
  readonly stops: (text: string) => boolean;
}

/**
 * Combines all patterns of a guard, so that a text is read only once. @throws {Error} if the engine refuses a pattern
 */
export function compilePatterns(patterns: readonly string[]): RE2JS {
  return RE2JS.compile(patterns.map((pattern) => `(?:${pattern})`).join("|"), RE2JS.CASE_INSENSITIVE);
}

/** @param guards guards of a policy that `requireValidPolicy` accepted */
export function compileGuards(guards: readonly TextGuard[]): readonly CompiledGuard[] {
  return guards.map((guard) => {
    const named = { guardId: guard.guard_id, reasonCode: guardReasons[guard.kind] };
    switch (guard.kind) {
      case "open_ended": {
        const regex = compilePatterns(guard.patterns);
        return { ...named, stops: (text) => regex.test(text) };
      }
      case "multi_action": {
        const verbs = new Set(guard.verbs);
        const conjunctions = new Set(guard.conjunctions);
        return { ...named, stops: (text) => joinsTwoActions(text, verbs, conjunctions) };
      }
    }
  });
}

/** Lower-case runs of letters, marks and digits; the first and the last may be empty. */
export function guardWords(text: string): readonly string[] {
  return text.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
}

/** Whether a text contains a verb, later a conjunction, and later a different verb; repeating a verb is one action. */
function joinsTwoActions(text: string, verbs: ReadonlySet<string>, conjunctions: ReadonlySet<string>): boolean {
  const before = new Set<string>();
  let joined = false;
  for (const word of guardWords(text)) {
    if (verbs.has(word)) {
      const others = before.size - (before.has(word) ? 1 : 0);
      if (joined && others > 0) return true;
      if (!joined) before.add(word);
    } else if (conjunctions.has(word) && before.size > 0) {
      joined = true;
    }
  }
  return false;
}

/** Guards as pinned in a manifest: their ids for readers, and a digest of every word and pattern. */
export function guardsIdentity(guards: readonly TextGuard[]): Manifest["guards"] {
  return { guard_ids: guards.map((guard) => guard.guard_id), sha256: sha256Hex(canonicalJson(guards)) };
}
