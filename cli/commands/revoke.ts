import { revokeTargets } from "../../stages/revoke.js";
import { withSigning } from "./key/signing-key.js";
import type { WorkOf } from "../command.js";
import type { revokeSpec } from "../specs/decisions.js";

export const revoke: WorkOf<typeof revokeSpec> = (context, args) =>
  withSigning(context, args, async (signing) => {
    const { artifact, keyId: key, bundle, approval, revoker, reason, validFor, trust, revocations } = args;
    // In the order used by revocation lists.
    const targets = Object.entries({ artifact, key, bundle, approval } as const).flatMap(([kind, id]) =>
      id === undefined ? [] : [{ kind: kind as "artifact" | "key" | "bundle" | "approval", id }],
    );
    const { file, list, added, entry, warnings } = await revokeTargets(context, {
      targets,
      revoker,
      signer: signing.open,
      reason,
      validForSec: validFor,
      trustFile: trust,
      revocationsFile: revocations,
      atMs: signing.atMs,
    });
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
