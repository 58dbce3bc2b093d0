import { revokeTargets } from "../../stages/revoke.js";
import { withSigning } from "./key/signing-key.js";
import type { WorkOf } from "../command.js";
import type { revokeSpec } from "../specs/decisions.js";

export const revoke: WorkOf<typeof revokeSpec> = (context, args, signing) =>
  withSigning(context, signing, async ({ open: signer, atMs }) => {
    const { file, list, added, entry, warnings } = await revokeTargets(context, { ...args, signer, atMs });
    const targets = [args.artifact, args.keyId, args.bundle, args.approval].flat();
    const { sequence, next_update: due, revoked } = list;
    const ofThisList = revoked.filter((target) => target.sequence === sequence);
    return {
      result: { file, sequence, next_update: due, added, total: revoked.length, entry },
      fields: [
        ["list", context.here(file)],
        ["sequence", String(sequence)],
        ...ofThisList.map(({ kind, sha256 }) => ["revoked", `${kind} ${sha256}`] as const),
        ["in total", String(revoked.length)],
        ["next list due", due],
        ["to do", "copy the list to the file that each server names with --revocations"],
      ],
      warnings: [
        ...(targets.length > added.length ? ["some targets were already revoked; the list was renewed"] : []),
        ...warnings,
      ],
    };
  });
