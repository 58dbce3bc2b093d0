import type { CommandShape } from "../command-shape.js";
import { historyKinds } from "../../workbench/history/history-kind.js";
import { flag, optional, repeated, required } from "../options.js";
import { choice, count, name, path, text } from "../parsers.js";
import { moment } from "../commands/history/moment.js";
import { signingOptions } from "./signing-options.js";

export const historyLogShape = {
  name: ["history", "log"],
  describe: "List what the history holds, oldest first, or what was approved on a date",
  positionals: {},
  options: {
    kind: optional(choice(...historyKinds), "only records of this kind"),
    "written-by": optional(text, "only what this person or user wrote"),
    since: optional(moment, "only from this day or second on"),
    before: optional(moment, "only up to this day or second"),
    "approved-for": optional(name, "the bundles that were decided about for this environment, and who approved"),
    on: optional(moment, "with --approved-for: at the end of this day, or at this second; now when absent"),
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
  },
  examples: [
    ["sluice history log --kind approval --since 2026-03-01", "the approvals and rejections since then"],
    ["sluice history log --approved-for production --on 2026-03-01", "what was approved, by whom, on which evidence"],
  ],
} satisfies CommandShape;

export const historyVerifyShape = {
  name: ["history", "verify"],
  describe: "Check every byte of the history against its digests, and against checkpoints that were kept elsewhere",
  positionals: {},
  options: {
    checkpoint: repeated(path, "a signed checkpoint from outside; may be repeated"),
    "public-key": optional(path, "public key (.pub.pem) that must have signed every checkpoint"),
  },
  examples: [
    ["sluice history verify", "prints the Merkle root"],
    [
      "sluice history verify --checkpoint 2026-03-01.checkpoint --public-key audit.pub.pem",
      "finds a rewritten history",
    ],
  ],
} satisfies CommandShape;

export const historyCheckpointShape = {
  name: ["history", "checkpoint"],
  describe: "Verify the history, then sign its size and Merkle root; keep the note elsewhere",
  positionals: {},
  options: { ...signingOptions, out: optional(path, "file to write; printed when absent") },
  examples: [
    ["sluice history checkpoint --key audit --out /mnt/elsewhere/2026-03-01.checkpoint", "a file on another disk"],
    ["sluice history checkpoint --key audit --passphrase-file audit.pass", "printed, for a pipe to another machine"],
  ],
} satisfies CommandShape;

export const historyProveShape = {
  name: ["history", "prove"],
  describe: "Prove that a signed checkpoint covers an entry; the proof needs no history to be checked",
  positionals: { entry: required(count, "number of the entry, as history log shows it") },
  options: {
    checkpoint: optional(path, "signed checkpoint; the last one that the history keeps when absent"),
    out: optional(path, "file to write; printed when absent"),
  },
  examples: [
    ["sluice history prove 12 --out entry-12.tlog-proof", "with the last checkpoint that was signed"],
    ["sluice history prove 12 --checkpoint 2026-03-01.checkpoint", "with a checkpoint from outside"],
  ],
} satisfies CommandShape;

export const historyCheckProofShape = {
  name: ["history", "check-proof"],
  describe: "Check a proof from history prove; needs the proof and the public key, not the history",
  positionals: { file: required(path, "proof file (.tlog-proof)") },
  options: {
    "public-key": required(path, "public key (.pub.pem) that must have signed every checkpoint"),
    record: optional(path, "the record itself; its digest must be that of the entry"),
  },
  examples: [
    ["sluice history check-proof entry-12.tlog-proof --public-key audit.pub.pem", "shows what was proved"],
    ["sluice history check-proof 12.tlog-proof --public-key audit.pub.pem --record approval.json", "and the record"],
  ],
} satisfies CommandShape;

export const historyBackupShape = {
  name: ["history", "backup"],
  describe: "Copy the history into one new file while others may use it, and verify the copy",
  positionals: { file: required(path, "file to write; an existing one is refused") },
  options: {},
  examples: [
    ["sluice history backup /mnt/backup/history-2026-03-01.db", "never copy history.db itself"],
    ["sluice history backup copy.db --workspace /srv/sluice", "of another workspace"],
  ],
} satisfies CommandShape;

export const historyRestoreShape = {
  name: ["history", "restore"],
  describe: "Verify a backup and copy it into a workspace that has no history",
  positionals: { file: required(path, "backup to restore") },
  options: {
    checkpoint: repeated(path, "a signed checkpoint from outside that the backup must contain; may be repeated"),
    "public-key": optional(path, "public key (.pub.pem) that must have signed every checkpoint"),
  },
  examples: [
    ["sluice history restore /mnt/backup/history-2026-03-01.db", "into the default workspace"],
    [
      "sluice history restore history.db --checkpoint last.checkpoint --public-key audit.pub.pem",
      "and nothing is lost",
    ],
  ],
} satisfies CommandShape;

export const historyGcShape = {
  name: ["history", "gc"],
  describe: "List the blobs that no entry refers to; with --delete remove them, which becomes an entry",
  positionals: {},
  options: { delete: flag("delete what is listed") },
  examples: [
    ["sluice history gc", "lists, deletes nothing"],
    ["sluice history gc --delete", "entries and their records always stay"],
  ],
} satisfies CommandShape;
