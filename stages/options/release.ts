import { argument, flag, optional, preset, repeated, required, requiredArgument } from "../../src/base/options.js";
import { reproductionSources } from "../../src/documents/choices.js";
import type { ProjectPeople } from "../../store/project/people.js";
import type { PageStatus } from "../../reports/release/page-status.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { defaultWorkers } from "../choices.js";
import type { ReproductionPlatform } from "../reproduce/reproduce-bundle.js";
import type { SignerSource } from "../../release/signing/sign-statement.js";
import { choice, count, duration, id, name, path, reference, sha256, text } from "./kinds.js";

/** The release page, and the current approvals. */
export interface PageOfRelease {
  readonly page: ReleasePage;
  readonly status: PageStatus;
}

/** Who signs, and the time stated, in milliseconds since 1970 UTC: by default now. */
const signedBy = {
  signer: requiredArgument<SignerSource>("object|function"),
  atMs: argument<number>("number"),
} as const;

const trust = optional(path, "trust policy; by default trust.json of the workspace");
const revocations = optional(path, "revocation list; by default revocations.json next to the trust policy");

/** `manifest create` */
export const manifestOptions = {
  producer: required(name, "producer who signs, as named in the trust policy"),
  calibration: optional(id, "calibration; by default the latest"),
  rollbackFloor: optional(count, "oldest release allowed to run after this one; by default the previous one"),
  trust: optional(path, "trust policy that names the producer; by default trust.json of the workspace, if it exists"),
  bundleVersion: optional(text, "version of the bundle; by default derived from the calibration"),
} as const;
export const signManifestOptions = { ...manifestOptions, ...signedBy } as const;

const ofRelease = {
  bundle: optional(id, "bundle; by default the latest"),
  trust,
  revocations,
} as const;

/** `manifest show` */
export const releaseOptions = {
  ...ofRelease,
  environment: preset(name, "production", "environment of the approvals"),
} as const;

export const readReleaseOptions = {
  ...ofRelease,
  /** By default that of the latest decision about the bundle, otherwise "production". */
  environment: optional(name, ""),
  /** People whose approvals count until the workspace has a trust policy; by default those of `project`. */
  people: argument<ProjectPeople>("object"),
  /** Project file, whose people's approvals count in the environment of its releases. */
  project: argument<string>("string"),
} as const;

const page = { out: preset(path, "release.html", "output file: .html, .md or .json") } as const;

/** `report release` */
export const releasePageOptions = { ...releaseOptions, ...page } as const;
export const writeReleasePageOptions = { ...readReleaseOptions, ...page } as const;

/** Options that determine whose decisions about a bundle count. */
const judgeOptions = {
  trust,
  revocations,
  environment: preset(name, "production", "environment that the bundle must be approved for"),
} as const;

/** `bundle export`, `exportRelease` */
export const exportOptions = {
  bundle: optional(id, "bundle; by default the latest"),
  out: optional(path, "output folder; by default bundle/ of the workspace"),
  tar: optional(path, "also write an archive; equal bundles give identical bytes"),
  replace: flag("replace an existing folder"),
  withRecords: flag("include the scored records, without texts, so that anybody can reproduce the claim"),
  ...judgeOptions,
} as const;

/** `bundle import`, `importRelease` */
export const importBundleOptions = {
  archive: required(path, "output of bundle export --tar"),
  out: required(path, "folder to create"),
  ...judgeOptions,
} as const;

/** `bundle verify`, `verifyRelease` */
export const verifyOptions = {
  directory: optional(path, "bundle: a folder or an archive; by default bundle/ of the workspace"),
  ...judgeOptions,
} as const;

/** `reject` and, but for `reason`, `approve` */
export const decisionOptions = {
  bundle: optional(id, "bundle; by default the latest"),
  approver: required(name, "approver who signs, as named in the trust policy"),
  environment: preset(name, "production", "environment that the decision applies to"),
  trust,
  revocations,
  renew: flag("extend an approval that already counts"),
  days: preset(count, "30", "days until the decision expires"),
  reason: optional(text, "reason, signed with the decision"),
  overrideGates: optional(text, "reason for releasing despite a gate that was not met; signed with the decision"),
  page: optional(path, "release page that the approver read, from `report release`; refused if any byte differs"),
  pageDigest: optional(sha256, "digest of the release page that the approver read; refused if it differs"),
} as const;

const from = preset(
  choice(...reproductionSources),
  "records",
  "starting point: the scored records, or scoring the dataset again",
);

/** `approve` */
export const approveOptions = {
  ...decisionOptions,
  reproduce: flag("reproduce the claim before signing and record that; nothing is signed if it differs"),
  from,
} as const;

export const signDecisionOptions = {
  ...approveOptions,
  ...signedBy,
  /** States where the claim was reproduced. */
  platform: argument<ReproductionPlatform>("object"),
  /**
   * `sluice.yaml` of the project whose release this is. Until it has a trust policy, a draft for its people applies. The
   * policy is written once the last person has a key, and the bundle is exported with the last approval.
   */
  project: argument<string>("string"),
  /** Called before the decision is signed; throwing cancels it. */
  confirm: argument<(shown: PageOfRelease) => Promise<void>>("function"),
} as const;

/** `reproduce` */
export const reproduceOptions = {
  bundle: optional(reference, "bundle: its id, or a folder or archive with its records; by default the latest"),
  from,
  workers: preset(count, String(defaultWorkers), "inference threads"),
} as const;
export const reproduceClaimOptions = {
  ...reproduceOptions,
  platform: requiredArgument<ReproductionPlatform>("object"),
} as const;

/** `revoke`. Without a target, the list is renewed. */
export const revokeOptions = {
  bundle: repeated(id, "bundle: its id, or an id prefix from the history; may be repeated"),
  approval: repeated(id, "approval in the history; may be repeated"),
  artifact: repeated(sha256, "digest of a file or model folder that no bundle may contain; may be repeated"),
  keyId: repeated(sha256, "id of a key; its signatures no longer count; may be repeated"),
  revoker: required(name, "revoker who signs, as named in the trust policy"),
  reason: optional(text, "reason, signed with the decision"),
  validFor: preset(duration, "30d", "time until the next list is due; renew it before then"),
  revocations: optional(path, "list to extend; by default revocations.json next to the trust policy"),
  trust,
} as const;
export const revokeTargetsOptions = { ...revokeOptions, ...signedBy } as const;
