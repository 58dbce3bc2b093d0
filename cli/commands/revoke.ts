import type { RevocationsPredicateWire } from "../../src/domain/signed.js";
import type { CommandContext } from "../context.js";
import { type CommandResult, commandResult } from "../result.js";
import { fields } from "../table.js";
import {
  type RevocationTarget,
  revokeTargets,
  type WrittenRevocations,
} from "../../workbench/use-cases/revoke-targets.js";
import { type Signing, withSigning } from "./key/signing-key.js";
import type { WorkOf } from "../command.js";
import type { revokeShape } from "../shapes/decisions.js";

export const revoke: WorkOf<typeof revokeShape> = (context, args) =>
  withSigning(context, args, (signing) => revokeWith(context, args, signing));

interface RevokeArguments extends TargetArguments {
  readonly revoker: string;
  readonly reason: string | undefined;
  readonly validFor: number;
  readonly revocations: string | undefined;
  readonly trust: string | undefined;
}

async function revokeWith(context: CommandContext, args: RevokeArguments, signing: Signing): Promise<CommandResult> {
  const targets = targetsOf(args);
  const revoked = await revokeTargets(context, {
    targets,
    revoker: args.revoker,
    signer: signing.open,
    reason: args.reason,
    validForSec: args.validFor,
    trustFile: args.trust,
    revocationsFile: args.revocations,
    atMs: signing.atMs,
  });
  return revokeResult(revoked, targets.length);
}

interface TargetArguments {
  readonly bundle: string | undefined;
  readonly approval: string | undefined;
  readonly artifact: string | undefined;
  readonly keyId: string | undefined;
}

function targetsOf({ artifact, keyId, bundle, approval }: TargetArguments): readonly RevocationTarget[] {
  const named = { artifact, key: keyId, bundle, approval };
  return revocationTargetKinds.flatMap((kind) => {
    const id = named[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
}

/** In the order in which a list has them. */
const revocationTargetKinds = ["artifact", "key", "bundle", "approval"] as const;

function revokeResult({ file, list, added, ...kept }: WrittenRevocations, asked: number): CommandResult {
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
      ...(asked > added.length ? ["some targets were already revoked; the list was renewed"] : []),
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
