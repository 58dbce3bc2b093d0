import { sha256Hex, type Sha256 } from "../../src/base/sha256.js";
import { outcomeOf } from "../../eval/metrics/outcome-columns.js";
import type { Calibration } from "../../src/documents/calibration.js";
import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";

export interface ComparedDocument {
  readonly name: "identities" | "records" | "calibration" | "evaluation";
  readonly signed_sha256: Sha256;
  readonly derived_sha256: Sha256;
  readonly equal: boolean;
  /** Every field that differs; empty if the bytes are equal. */
  readonly differences: readonly DifferingField[];
}

/** The two sides of a comparison: their bytes and parsed values. */
interface Sides {
  readonly signed: { readonly bytes: Uint8Array; readonly document: unknown };
  readonly derived: { readonly bytes: Uint8Array; readonly document: unknown };
}

/** Compares two documents byte for byte and lists the fields that differ. */
export function compareDocuments(name: ComparedDocument["name"], { signed, derived }: Sides): ComparedDocument {
  const [signedSha256, derivedSha256] = [sha256Hex(signed.bytes), sha256Hex(derived.bytes)];
  const equal = signedSha256 === derivedSha256;
  const fields = equal ? [] : differingFields(signed.document, derived.document);
  // The bytes differ although all fields are equal: a different version serialised the document differently.
  const whole = { path: "(bytes)", signed: signedSha256, derived: derivedSha256 };
  return {
    name,
    signed_sha256: signedSha256,
    derived_sha256: derivedSha256,
    equal,
    differences: equal || fields.length > 0 ? fields : [whole],
  };
}

export const jsonSide = (bytes: Buffer): Sides["signed"] => ({
  bytes,
  document: JSON.parse(bytes.toString("utf8")) as unknown,
});

interface DifferingField {
  /** Path from the root, joined by dots, e.g. "tiers.low.confidence". */
  readonly path: string;
  /** "(absent)" if the document lacks the field. */
  readonly signed: unknown;
  readonly derived: unknown;
}

const absent = "(absent)";

type Branch = Readonly<Record<string, unknown>>;

const isBranch = (value: unknown): value is Branch => typeof value === "object" && value !== null;

/** Every leaf in which two JSON documents differ, in the order of the signed document. */
function differingFields(signed: unknown, derived: unknown, path = ""): readonly DifferingField[] {
  if (isBranch(signed) && isBranch(derived) && Array.isArray(signed) === Array.isArray(derived)) {
    const names = new Set([...Object.keys(signed), ...Object.keys(derived)]);
    return [...names].flatMap((name) =>
      differingFields(valueOf(signed, name), valueOf(derived, name), path === "" ? name : `${path}.${name}`),
    );
  }
  return Object.is(signed, derived) ? [] : [{ path, signed, derived }];
}

const valueOf = (branch: Branch, name: string): unknown => (Object.hasOwn(branch, name) ? branch[name] : absent);

/** Confidence and margin of one tier on both sides; null: the tier abstains. */
export interface TierThresholds {
  readonly tier: RiskTier;
  readonly signed: { readonly confidence: number | null; readonly margin: number | null };
  readonly derived: { readonly confidence: number | null; readonly margin: number | null };
}

/** Decisions of the certification records under both calibrations. */
export interface DecidedRecords {
  /** Number of scored records of TUNE and CERTIFY. */
  readonly records: number;
  /** Ids of the records with a different decision, workflow or reason, ascending. */
  readonly changed: readonly string[];
}

const thresholdsOf = ({ tiers }: Calibration, tier: RiskTier) => {
  const { confidence, margin } = tiers[tier];
  return { confidence, margin };
};

/** The thresholds of every tier on both sides, equal or not. */
export const tierThresholds = (signed: Calibration, derived: Calibration): readonly TierThresholds[] =>
  riskTiers.map((tier) => ({ tier, signed: thresholdsOf(signed, tier), derived: thresholdsOf(derived, tier) }));

/** Compares the decisions of the two calibrations on the certification records. */
export function decidedRecords(
  signed: { readonly calibration: Calibration; readonly records: readonly ScoredRecord[] },
  derived: { readonly calibration: Calibration; readonly records: readonly ScoredRecord[] },
): DecidedRecords {
  const [before, after] = [decisionsOf(signed), decisionsOf(derived)];
  const ids = new Set([...before.keys(), ...after.keys()]);
  return { records: ids.size, changed: [...ids].filter((id) => before.get(id) !== after.get(id)).sort() };
}

function decisionsOf(side: {
  readonly calibration: Calibration;
  readonly records: readonly ScoredRecord[];
}): ReadonlyMap<string, string> {
  const tested = side.records.filter(
    ({ fold, error_code: errorCode }) => errorCode === null && (fold === "tune" || fold === "certify"),
  );
  return new Map(
    tested.map((record) => {
      const { decision } = outcomeOf(record, side.calibration);
      return [record.id, [decision?.decision, decision?.workflow_id, decision?.reason_code].join(" ")];
    }),
  );
}
