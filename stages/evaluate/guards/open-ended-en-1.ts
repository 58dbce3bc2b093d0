import type { TextGuard } from "../../../src/documents/guard.js";

/**
 * Matches English requests for reasoning or advice. A question word alone ("why was I charged?") is not enough: in
 * BANKING77, 12% of the in-scope requests begin with one.
 */
export const openEndedEn1 = {
  kind: "open_ended",
  guard_id: "open-ended-en-1",
  language: "en",
  patterns: [
    "\\bexplain (?:to (?:me|us) )?(?:why|how)\\b",
    "\\brecommend\\b",
    "\\badvise (?:me|us)\\b",
    "\\bbrainstorm\\b",
    "\\banaly[sz]e\\b",
    "\\bpros and cons\\b",
    "\\bwhich\\b.{0,35}\\bbest\\b",
    "\\b(?:write|make|draft|develop) (?:me |us )?an? (?:\\w+ ){0,2}(?:strategy|plan|essay)\\b",
  ],
} satisfies TextGuard;
