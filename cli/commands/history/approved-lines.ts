import { counted } from "../../../src/domain/number-text.js";
import { printable } from "../../../src/artifacts/printable.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { BundleOnDay } from "../../../workbench/release/approved-on.js";
import type { KeptRevocation } from "../../../workbench/release/kept-revocations.js";
import { decisionText, decisionWords } from "../approval/decision-text.js";
import { fields } from "../../table.js";

function revocationText({ kind, sha256, revoked_at, revoker, reason, entry }: KeptRevocation): string {
  const why = reason === "" ? "" : `, "${printable(reason)}"`;
  const where = entry === null ? "in the list next to the trust policy" : `entry ${entry}`;
  return `${kind} ${shortId(sha256)} by ${printable(revoker)} at ${revoked_at}, ${where}${why}`;
}

function bundleLines(bundle: BundleOnDay): readonly string[] {
  const version = printable(bundle.bundle_version);
  return fields([
    [bundle.approved ? "approved" : "not approved", `${version}, entry ${bundle.entry}`],
    ["  bundle", bundle.bundle_id],
    ["  producer", printable(bundle.producer)],
    ...bundle.decisions.map((one): [string, string] => [`  ${decisionWords[one.decision]}`, decisionText(one)]),
    ...bundle.revocations.map((one): [string, string] => ["  revoked", revocationText(one)]),
    ...bundle.evidence.map(({ name, sha256 }): [string, string] => ["  evidence", `${printable(name)} ${sha256}`]),
    ...bundle.problems.map((problem): [string, string] => ["  because", problem]),
  ]);
}

/** The answer in words: approved bundles first. */
export function approvedLines(environment: string, on: string, bundles: readonly BundleOnDay[]): readonly string[] {
  const approved = bundles.filter((bundle) => bundle.approved);
  const others = bundles.filter((bundle) => !bundle.approved);
  const head = `${counted(approved.length, "bundle was", "bundles were")} approved for ${environment} at ${on}`;
  return [head, ...[...approved, ...others].flatMap((bundle) => ["", ...bundleLines(bundle)])];
}
