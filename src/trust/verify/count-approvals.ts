import { maxApprovals } from "../../documents/signed.js";
import type { ErrorCode } from "../../base/error-codes.js";
import { printable } from "../../base/text.js";
import { validityState } from "../validity.js";
import { type ApprovalQuestion, approverRule, judgeApproval, type VerifiedApproval } from "./judge-approval.js";
import { type BundleProblem, problem, problemOf } from "./problem.js";

export interface ApprovalCount {
  /** Approvals that count, one per person. */
  readonly counted: readonly VerifiedApproval[];
  /** Those whose approver states an equal reproduction of the claim, one per person. */
  readonly derived: readonly VerifiedApproval[];
  readonly derivedRequired: number;
  /** null if the trust policy names no approvers for the environment. */
  readonly required: number | null;
  /**
   * People whose approval would help, in the order of the trust policy: those not in `counted`, and, as long as a
   * reproduction is missing, those not in `derived`.
   */
  readonly canSign: readonly string[];
  /** Empty if the bundle is approved. */
  readonly problems: readonly BundleProblem[];
  /** Why individual envelopes were refused. */
  readonly refusals: readonly BundleProblem[];
  /** Why each other envelope does not count, in the given order; `file` names the envelope. */
  readonly notCounted: readonly BundleProblem[];
  /** Time from which too few approvals remain, in milliseconds since 1970 UTC; null if not approved. */
  readonly endsAt: number | null;
}

/** For each person, the approval that counts for the longest time. */
function onePerPerson(approvals: readonly VerifiedApproval[]): readonly VerifiedApproval[] {
  const longest = new Map<string, VerifiedApproval>();
  for (const approval of approvals) {
    if (approval.countsUntil <= (longest.get(approval.approver)?.countsUntil ?? 0)) continue;
    longest.set(approval.approver, approval);
  }
  return [...longest.values()];
}

/** A rejection stays in force until the same person signs a later approval. */
function effectiveRejections(decisions: readonly VerifiedApproval[]): readonly VerifiedApproval[] {
  const approvals = decisions.filter((d) => d.decision === "approve");
  return decisions
    .filter((d) => d.decision === "reject")
    .filter((r) => !approvals.some((a) => a.approver === r.approver && a.notBefore > r.notBefore));
}

/** Why a valid decision has no effect; null if it has one. */
function idleReason(
  { decision, file, approver }: VerifiedApproval,
  inForce: readonly VerifiedApproval[],
  rejections: readonly VerifiedApproval[],
): BundleProblem | null {
  const name = printable(approver);
  if (decision === "reject") {
    if (rejections.some((rejection) => rejection.file === file)) return null;
    return problem("APPROVAL_NOT_COUNTED", file, `a later approval by "${name}" replaces this rejection`);
  }
  if (inForce.some((approval) => approval.file === file)) return null;
  return problem("APPROVAL_NOT_COUNTED", file, `"${name}" counts once, with the approval that expires last`);
}

/** Approvers other than the producer who do not count yet and hold a currently valid key. */
function whoCanSign(question: ApprovalQuestion, counted: readonly VerifiedApproval[]): readonly string[] {
  const { trust, now, isRevoked, producers } = question;
  const able = new Set(
    trust.keys
      .filter((key) => validityState(key, now.getTime(), trust.clockSkewMs) === "VALID")
      .filter((key) => !isRevoked("key", key.keyId))
      .map((key) => key.principal),
  );
  const done = new Set(counted.map(({ approver }) => approver));
  const named = approverRule(question)?.principals ?? [];
  return named.filter((name) => able.has(name) && !producers.has(name) && !done.has(name));
}

interface Sorted {
  readonly decisions: readonly VerifiedApproval[];
  readonly refusals: readonly BundleProblem[];
}

/** Judges all envelopes. Too many files are refused as a whole, before any signature is checked. */
function judgeAll(files: ReadonlyMap<string, Uint8Array>, question: ApprovalQuestion): Sorted {
  if (files.size > maxApprovals) {
    const message = `${files.size} approvals and rejections, at most ${maxApprovals} are accepted`;
    return { decisions: [], refusals: [problem("FILE_REFUSED", "approvals", message)] };
  }
  const decisions: VerifiedApproval[] = [];
  const refusals: BundleProblem[] = [];
  for (const [file, bytes] of files) {
    try {
      decisions.push(judgeApproval(file, bytes, question));
    } catch (thrown) {
      refusals.push({ ...problemOf(thrown, file), file });
    }
  }
  return { decisions, refusals };
}

/**
 * Counts the distinct people who approve a bundle for an environment. A person counts once, regardless of the number of
 * keys and envelopes; a signer of the manifest never counts. Envelopes that do not count have no effect, except that a
 * rejection by an eligible approver blocks the bundle.
 * @param files  signed bytes by path
 */
export function countApprovals(files: ReadonlyMap<string, Uint8Array>, question: ApprovalQuestion): ApprovalCount {
  const { decisions, refusals } = judgeAll(files, question);
  const rule = approverRule(question);
  const { threshold: required = null, require_reproduction: derivedRequired = 0 } = rule ?? {};
  const approvals = decisions.filter((d) => d.decision === "approve");
  const counted = onePerPerson(approvals);
  const derived = onePerPerson(approvals.filter(({ reproduction }) => reproduction !== undefined));
  const canSign = whoCanSign(question, derived.length < derivedRequired ? derived : counted);
  const rejections = effectiveRejections(decisions);
  const people = { counted, required, derived, derivedRequired, canSign };
  const problems = [
    ...rejections.map((r) => problem("REJECTED_BY_APPROVER", r.file, `"${printable(r.approver)}" rejected the bundle`)),
    ...shortfall(question, people, refusals),
  ];
  const notCounted = [...files.keys()].flatMap((file) => {
    const decision = decisions.find((d) => d.file === file);
    const refused = refusals.find((r) => r.file === file) ?? refusals[0] ?? null;
    const why = decision === undefined ? refused : idleReason(decision, [...counted, ...derived], rejections);
    return why === null ? [] : [{ ...why, file }];
  });
  const ends = Math.min(endOf(counted, required ?? 0), endOf(derived, derivedRequired));
  const endsAt = problems.length > 0 ? null : ends + question.trust.clockSkewMs;
  return { ...people, problems, refusals, notCounted, endsAt };
}

/** Time from which fewer than `needed` approvals remain; Infinity if none is needed. */
function endOf(approvals: readonly VerifiedApproval[], needed: number): number {
  return approvals.map(({ countsUntil }) => countsUntil).sort((a, b) => b - a)[needed - 1] ?? Number.POSITIVE_INFINITY;
}

type Counts = Pick<ApprovalCount, "counted" | "required" | "derived" | "derivedRequired" | "canSign">;

const names = (people: readonly string[]): string => people.map(printable).join(", ");

/** Describes the approvals: who counts, how many are missing, who can still sign. */
export function approvalCountText({ counted, required, derived, derivedRequired, canSign }: Counts): string {
  const missing = Math.max(0, (required ?? 0) - counted.length);
  const able = canSign.length === 0 ? "nobody else can sign" : `can still sign: ${names(canSign)}`;
  const reproductions =
    derivedRequired === 0 ? "" : `${derived.length} of ${derivedRequired} required reproductions${byWhom(derived)}; `;
  const approvals = `${counted.length} of ${required ?? 0} required approvals${byWhom(counted)}`;
  if (missing === 0 && derived.length >= derivedRequired) return approvals;
  return `${approvals}; missing: ${missing}; ${reproductions}${able}`;
}

const byWhom = (approvals: readonly VerifiedApproval[]): string =>
  approvals.length === 0 ? "" : ` (${names(approvals.map(({ approver }) => approver))})`;

function shortfall(
  question: ApprovalQuestion,
  counts: Counts,
  refusals: readonly BundleProblem[],
): readonly BundleProblem[] {
  const rule = approverRule(question);
  if (rule === undefined) {
    const where = printable(question.environment);
    const text = `the trust policy names no approvers for environment "${where}"`;
    return [{ code: "APPROVAL_MISMATCH", file: "trust policy", message: text }];
  }
  const few: ErrorCode[] = [];
  if (counts.counted.length < rule.threshold) few.push("THRESHOLD_NOT_MET");
  if (counts.derived.length < counts.derivedRequired) few.push("REPRODUCTION_MISSING");
  if (few.length === 0) return [];
  const message = approvalCountText(counts);
  return [...refusals, ...few.map((code): BundleProblem => ({ code, file: "approvals", message }))];
}
