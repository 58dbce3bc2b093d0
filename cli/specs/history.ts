import { flag, optional, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { listOptions, pullOptions, restoreOptions, verifyHistoryOptions } from "../../stages/options/history.js";
import { path } from "../../stages/options/kinds.js";
import { signingOptions } from "./signing-options.js";

export const historyLogSpec = {
  name: ["history", "log"],
  describe: "List the records of the history, oldest first",
  positionals: {},
  options: listOptions,
  examples: [
    ["sluice history log --kind approval --since 2026-03-01", "approvals and rejections since that day"],
    ["sluice history log --kind approval --before 2026-03-01", "what was approved by that day"],
  ],
} satisfies CommandSpec;

export const historyVerifySpec = {
  name: ["history", "verify"],
  describe: "Verify the history against its digests, and against checkpoints stored elsewhere",
  positionals: {},
  options: verifyHistoryOptions,
  examples: [
    ["sluice history verify", "prints the Merkle root"],
    [
      "sluice history verify --checkpoint 2026-03-01.checkpoint --public-key audit.pub.pem",
      "also detects a rewritten history",
    ],
  ],
} satisfies CommandSpec;

export const historyCheckpointSpec = {
  name: ["history", "checkpoint"],
  describe: "Verify the history, then sign its size and Merkle root as a checkpoint; store it elsewhere",
  positionals: {},
  options: { out: optional(path, "file to write; by default standard output") },
  own: signingOptions,
  examples: [
    ["sluice history checkpoint --key audit --out /mnt/elsewhere/2026-03-01.checkpoint", "a file on another disk"],
    [
      "sluice history checkpoint --key audit --passphrase-file audit.pass",
      "to standard output, for a pipe to another machine",
    ],
  ],
} satisfies CommandSpec;

export const historyBackupSpec = {
  name: ["history", "backup"],
  describe: "Copy the history, even while in use, and verify the copy",
  positionals: { file: required(path, "new file to write") },
  options: {},
  examples: [
    ["sluice history backup /mnt/backup/history-2026-03-01.db", "do not copy history.db directly"],
    ["sluice history backup copy.db --workspace /srv/sluice", "the history of another workspace"],
  ],
} satisfies CommandSpec;

export const historyRestoreSpec = {
  name: ["history", "restore"],
  describe: "Verify a backup and restore it into a workspace without a history",
  positionals: { file: required(path, "backup to restore") },
  options: restoreOptions,
  examples: [
    ["sluice history restore /mnt/backup/history-2026-03-01.db", "into the default workspace"],
    [
      "sluice history restore history.db --checkpoint last.checkpoint --public-key audit.pub.pem",
      "and verify that no entry is missing",
    ],
  ],
} satisfies CommandSpec;

export const historyPushSpec = {
  name: ["history", "push"],
  describe: "Append to a shared folder the entries that it lacks; refuses a fork",
  positionals: { target: required(path, "shared folder of the team") },
  options: {},
  examples: [
    ["sluice history push /mnt/team/history", "new entries, and only the blobs that are missing there"],
    ["sluice history push /mnt/team/history --workspace /srv/sluice", "the history of another workspace"],
  ],
} satisfies CommandSpec;

export const historyPullSpec = {
  name: ["history", "pull"],
  describe: "Append to the workspace the entries of a shared folder that it lacks; refuses a fork",
  positionals: { source: required(path, "shared folder of the team") },
  options: pullOptions,
  examples: [
    ["sluice history pull /mnt/team/history", "into the default workspace, which is created when missing"],
    [
      "sluice history pull /mnt/team/history --checkpoint last.checkpoint --public-key audit.pub.pem",
      "and verify that no entry is missing",
    ],
  ],
} satisfies CommandSpec;

export const historyRepairSpec = {
  name: ["history", "repair"],
  describe: "List records that no command can read; with --quarantine, pass over them from now on",
  positionals: {},
  options: { quarantine: flag("append an entry that lists the damaged records; nothing is deleted") },
  examples: [
    ["sluice history repair", "only lists"],
    ["sluice history repair --quarantine", "commands work again; push, so that others can pull"],
  ],
} satisfies CommandSpec;

export const historyGcSpec = {
  name: ["history", "gc"],
  describe: "List unreferenced blobs; with --delete, remove them and record that as an entry",
  positionals: {},
  options: { delete: flag("delete the listed blobs") },
  examples: [
    ["sluice history gc", "only lists"],
    ["sluice history gc --delete", "never deletes entries or their records"],
  ],
} satisfies CommandSpec;
