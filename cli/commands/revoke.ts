import type { RevocationKind, RevocationsPredicateWire } from "../../src/domain/signed.js";
import type { Sha256 } from "../../src/digest/sha256.js";
import { defineCommand } from "../command.js";
import type { CommandContext } from "../context.js";
import { optional, preset, required } from "../options.js";
import { duration, id, name, path, sha256, text } from "../parsers.js";
import { withHistory } from "../../workbench/records/with-history.js";
import { type CommandResult, commandResult } from "../result.js";
import { fields } from "../table.js";
import type { KeptSigned } from "../../workbench/release/keep-signed.js";
import { utcSeconds } from "../../workbench/records/timestamp.js";
import { readIfThere, revocationsFile } from "./bundle/read-revocations.js";
import { readTrust } from "./bundle/read-trust.js";
import { type Signing, signingOptions, withSigning } from "./key/signing-key.js";

export const revoke = defineCommand({
  name: ["revoke"],
  describe: "Sign that a bundle, an approval, a file or a key must not count any more",
  positionals: {},
  options: {
    bundle: optional(id, "bundle id, or the beginning of one of the history"),
    approval: optional(id, "approval of the history"),
    artifact: optional(sha256, "digest of a file, or directory digest of a model, that no bundle may hold"),
    "key-id": optional(sha256, "key whose signatures no longer count"),
    revoker: required(name, "who signs; a revoker of the trust policy"),
    ...signingOptions,
    reason: optional(text, "why; it is signed too"),
    "valid-for": preset(duration, "30d", "when the next list is due; sign an empty one before then"),
    revocations: optional(path, "list to continue; revocations.json beside the trust policy when absent"),
    trust: optional(path, "trust policy; trust.json of the workspace when absent"),
  },
  examples: [
    [
      "sluice revoke --bundle 3f9c01ab --revoker bo --key bo --reason mistake",
      "stops every server that watches the list",
    ],
    ["sluice revoke --revoker bo --key bo", "revokes nothing and renews the list"],
  ],
  run: (context, args) => withSigning(context, args, (signing) => revokeWith(context, args, signing)),
});

interface RevokeArguments extends TargetArguments {
  readonly revoker: string;
  readonly reason: string | undefined;
  readonly validFor: number;
  readonly revocations: string | undefined;
  readonly trust: string | undefined;
}

async function revokeWith(context: CommandContext, args: RevokeArguments, signing: Signing): Promise<CommandResult> {
  const { openRevocations } = await import("../../src/artifacts/verify/revocations.js");
  const { parseTrustPolicy } = await import("../../src/artifacts/trust-policy.js");
  const trust = parseTrustPolicy(await readTrust(context, args.trust));
  const now = new Date(signing.atMs);
  const file = revocationsFile(context, args);
  const bytes = await readIfThere(file);
  const before = bytes === null ? null : openRevocations(bytes, trust, now, file);
  const targets = await targetsOf(context, args);
  const { nextRevocations, revocationsStatement } = await import("../../src/artifacts/sign/revocations-statement.js");
  const { signStatement } = await import("../../src/artifacts/sign/sign-statement.js");
  const next = nextRevocations(before?.predicate ?? null, {
    revoker: args.revoker,
    issuedAt: utcSeconds(now.getTime()),
    nextUpdate: utcSeconds(now.getTime() + args.validFor * 1000),
    add: targets.map((target) => ({ ...target, reason: args.reason ?? "" })),
  });
  const { envelopeBytes } = await signStatement(revocationsStatement(next), await signing.open());
  openRevocations(envelopeBytes, trust, now, file);
  const { replaceFile } = await import("../../src/artifacts/write-new-file.js");
  await replaceFile(file, envelopeBytes, 0o644);
  const { keepSigned } = await import("../../workbench/release/keep-signed.js");
  const kept = await keepSigned(context, { kind: "revocation", actor: args.revoker, bytes: envelopeBytes });
  return revokeResult(file, next, targets.length, kept);
}

interface TargetArguments {
  readonly bundle: string | undefined;
  readonly approval: string | undefined;
  readonly artifact: string | undefined;
  readonly keyId: string | undefined;
}

interface Target {
  readonly kind: RevocationKind;
  readonly sha256: Sha256;
}

/** What is revoked. A whole bundle id needs no history, so that any revoker can act anywhere. */
async function targetsOf(context: CommandContext, args: TargetArguments): Promise<readonly Target[]> {
  const targets: Target[] = [];
  if (args.artifact !== undefined) targets.push({ kind: "artifact", sha256: args.artifact as Sha256 });
  if (args.keyId !== undefined) targets.push({ kind: "key", sha256: args.keyId as Sha256 });
  if (args.bundle !== undefined) {
    targets.push({
      kind: "bundle",
      sha256: args.bundle.length === 64 ? (args.bundle as Sha256) : await keptBundle(context, args.bundle),
    });
  }
  if (args.approval !== undefined)
    targets.push({ kind: "approval", sha256: await keptApproval(context, args.approval) });
  return targets;
}

function keptBundle(context: CommandContext, bundle: string): Promise<Sha256> {
  return withHistory(context, "read", async ({ history }) => {
    const { readManifest } = await import("../../workbench/release/read-manifest.js");
    return readManifest(history, bundle).bundleId;
  });
}

/** An approval is revoked by the digest of what was signed: the envelope around it can be written anew by anybody. */
function keptApproval(context: CommandContext, approval: string): Promise<Sha256> {
  return withHistory(context, "read", async ({ history }) => {
    const { getBlob, resolveRecord } = await import("../../workbench/history/read.js");
    const { sha256Hex } = await import("../../src/digest/sha256.js");
    const { openStatement } = await import("../../workbench/release/open-statement.js");
    const entry = resolveRecord(history, "approval", approval);
    return sha256Hex(openStatement(getBlob(history, entry.sha256), "approval").payload);
  });
}

function revokeResult(file: string, list: RevocationsPredicateWire, asked: number, kept: KeptSigned): CommandResult {
  const added = list.revoked.filter(({ sequence }) => sequence === list.sequence);
  return commandResult({
    schema: "revoke@1",
    result: {
      file,
      sequence: list.sequence,
      next_update: list.next_update,
      added,
      total: list.revoked.length,
      entry: kept.entry,
    },
    lines: revokedLines(file, list),
    warnings: [
      ...(asked > added.length ? ["some of it was revoked already; the list was renewed"] : []),
      ...kept.warnings,
    ],
  });
}

/** The list in words. */
export function revokedLines(file: string, list: RevocationsPredicateWire): readonly string[] {
  const added = list.revoked.filter(({ sequence }) => sequence === list.sequence);
  return fields([
    ["list", file],
    ["sequence", String(list.sequence)],
    ...added.map(({ kind, sha256: digest }): readonly [string, string] => ["revoked", `${kind} ${digest}`]),
    ["in total", String(list.revoked.length)],
    ["next list due", list.next_update],
  ]);
}
