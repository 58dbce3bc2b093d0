import type { TextGuard } from "../../../src/documents/guard.js";

/** Matches English requests for two actions in one text. */
export const multiActionEn1 = {
  kind: "multi_action",
  guard_id: "multi-action-en-1",
  language: "en",
  conjunctions: ["and", "then"],
  verbs: [
    "book",
    "cancel",
    "change",
    "check",
    "create",
    "delete",
    "download",
    "find",
    "pause",
    "refund",
    "remove",
    "resume",
    "schedule",
    "send",
    "update",
    "upload",
  ],
} satisfies TextGuard;
