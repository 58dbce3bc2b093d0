import { objectKind, optional, preset, repeated, required } from "../../src/base/options.js";
import type { PublicKey } from "../../src/trust/public-key.js";
import { choice, count, duration, name, path } from "./kinds.js";

/** A person and a public key, or its file. */
export interface Principal {
  readonly name: string;
  readonly publicKey: string | PublicKey;
}

export const principal = objectKind("NAME=PATH", "a name, an equals sign and a path", (raw): Principal | undefined => {
  const [, who, publicKey] = /^([A-Za-z0-9][A-Za-z0-9._@-]{0,79})=([^\0]+)$/.exec(raw) ?? [];
  return who === undefined || publicKey === undefined ? undefined : { name: who, publicKey };
});

/** `trust create`, `createTrustPolicy` */
export const createTrustOptions = {
  principal: repeated(principal, "person and public key; repeat for every person and key"),
  producer: repeated(name, "person who may sign manifests; may be repeated"),
  approver: repeated(name, "person who may approve bundles; may be repeated"),
  threshold: preset(count, "2", "number of distinct people, other than the producer, who must approve"),
  requireReproduction: preset(count, "0", "number of approvals that must confirm a reproduction of the claim"),
  root: repeated(name, "person who signs the next version of the policy; by default the approvers"),
  revoker: repeated(name, "person who may revoke alone; by default the approvers"),
  revocationList: preset(
    choice("optional", "required"),
    "optional",
    "whether verification requires a current revocation list",
  ),
  policyVersion: preset(
    count,
    "1",
    "version of the policy; later ones must be signed by the roots of the previous one",
  ),
  environment: preset(name, "production", "environment of the approvals"),
  expires: required(duration, "validity of the policy and its keys"),
  maxApprovalDays: preset(count, "90", "longest accepted validity of an approval"),
  out: optional(path, "file to write; by default trust.json of the workspace"),
} as const;

/** `trust update`, `updateTrustPolicy` */
export const updateTrustOptions = {
  file: required(path, "envelope of the next version"),
  trust: optional(path, "current trust policy; by default trust.json of the workspace"),
} as const;
