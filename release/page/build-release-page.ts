import { promiseOf } from "../../reports/claim-view.js";
import type { MeasuredClaims } from "../../reports/held-out-verdict.js";
import {
  certifiedClaims,
  claimCountNote,
  judgeClaim,
  judgeRelease,
  type ReleaseVerdict,
} from "../../reports/judge-release.js";
import {
  type ReleasePage,
  releasePageEvidence,
  type ReleaseDifferences,
  type ReleaseQuestion,
  type RoutedWorkflow,
  type EditedRequests,
} from "../../reports/release/release-page.js";
import { measuredRates } from "../../reports/result-views.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { BundleId } from "../../src/documents/primitives.js";
import {
  type Calibration,
  type DrawnRoutes,
  usedTiers,
  scopeName,
  statementOf,
} from "../../src/documents/calibration.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { Manifest } from "../../src/documents/signed.js";
import { auditSummary } from "../../store/records/save-audit.js";
import type { History } from "../../store/history/open.js";
import {
  readAudit,
  readCalibration,
  readCatalog,
  readEvaluationOf,
  readPolicy,
  readSplit,
} from "../../store/records/read-records.js";
import { listEntries } from "../../store/history/read.js";
import { printable, shortId, statedReason } from "../../src/base/text.js";
import { describeExactEvents } from "../describe-exact-events.js";
import { storedApprovals, recordedRevocation } from "../stored-statements.js";
import { type StoredManifest, manifestOf, readManifest } from "../read-signed.js";
import { headline, mainClaim, planReservation } from "../../reports/headline.js";
import { describeFollowUps, describeLanguages } from "../../reports/text/calibration-text.js";
import { editsOf, listedEdits } from "./request-changes.js";
import { type AsTested, releaseDifferences } from "./release-differences.js";
import {
  declinedText,
  listedWorkflows,
  listedWrongRoutes,
  routedWorkflows,
  workflowQuestions,
  type WrongRoute,
  wrongRoutesOf,
} from "./workflow-costs.js";
import type { Evaluation } from "../../src/documents/evaluation.js";
import { SluiceError } from "../../src/base/error.js";
import { counted, formatCount, formatPercent, formatPercentDown, formatRate } from "../../src/documents/number-text.js";

/**
 * Builds the signed part of a manifest's release page from the predicate and the records that it names. Equal histories
 * give equal pages, whether or not the predicate lists the page as evidence.
 * @param asTested  decides the requests that a calibration tested as its claims count them
 */
export function buildReleasePage(history: History, predicate: Manifest, asTested: AsTested): ReleasePage {
  const calibration = readCalibration(history, predicate.calibration.sha256).document;
  const evaluation = readEvaluationOf(history, predicate.calibration.sha256).document;
  const before = predicate.supersedes === null ? null : manifestIfKept(history, predicate.supersedes);
  const revocation = before === null ? null : recordedRevocation(history, before.bundleId);
  const rejections = rejectedBefore(history, predicate, before?.predicate.release ?? 0);
  const changes = before === null ? null : releaseDifferences(history, before, { now: predicate, asTested });
  const catalog = readCatalog(history, predicate.catalog.sha256).document;
  const routed = routedWorkflows({
    catalog,
    policy: readPolicy(history, predicate.policy.sha256).document,
    calibration,
    evaluation,
  });
  const wrongRoutes = wrongRoutesOf(history, { calibration, fold: evaluation.fold, thresholds: asTested(calibration) });
  const edited = editedRequests(history, calibration, before);
  const declined = declinedText({ catalog, calibration }, predicate.exact_events.enabled);
  return {
    schema_version: 1,
    bundle_version: predicate.bundle_version,
    producer: predicate.producer,
    release: predicate.release,
    rollback_floor: predicate.rollback_floor,
    catalog_version: predicate.catalog.version,
    calibration_version: predicate.calibration.version,
    exact_events: describeExactEvents(predicate.exact_events),
    ...promisesOf(calibration, evaluation),
    reservation: reservationOf(calibration, changes),
    ...(declined === "" ? {} : { always_declined: declined }),
    measured_on: measuredOn(calibration, evaluation),
    measured: [...measuredRates(evaluation, claimCountNote(calibration, evaluation))],
    changes,
    change_note: changeNote(predicate, before !== null, rejections),
    questions: releaseQuestions({
      evaluation,
      calibration,
      predicate,
      changes,
      rejections,
      audit: auditOf(history, predicate),
      catalog,
      declined,
      routed,
      wrongRoutes,
      edited,
      revoked: before === null || revocation === null ? null : { release: before.predicate.release, ...revocation },
    }),
    wrong_routes: listedWrongRoutes(wrongRoutes),
    routed_workflows: listedWorkflows(routed),
    ...(edited === null ? {} : { edited }),
    digests: digestsOf(predicate),
  };
}

function promisesOf(calibration: Calibration, evaluation: Evaluation) {
  const judged = judgeRelease(evaluation, calibration);
  return {
    verdict: judged.verdict,
    verdict_sentence: judged.sentence,
    failed_gates: [...failedGates(evaluation, calibration)],
    headline: [...headline(calibration)],
    ...promiseOf(mainClaim(calibration)),
    ...(calibration.shortlist?.certified === true ? { shortlist: calibration.shortlist.sentence } : {}),
    ...(calibration.follow_ups === undefined ? {} : { follow_ups: [...describeFollowUps(calibration)] }),
    claims: claimRows(judged, calibration),
  };
}

const claimRows = (judged: ReleaseVerdict, { claims }: Calibration): ReleasePage["claims"] =>
  claims.map((claim, index) => ({
    scope: scopeName(claim.scope),
    verdict: judged.claims[index]?.verdict ?? "no claim",
    reason: judged.claims[index]?.reason ?? "",
    sentence: statementOf(claim),
  }));

/**
 * Describes the certified claims that held-out requests contradict; empty if there are none. Approving a bundle with
 * such a claim requires a recorded override. A rate above the target that chance can explain is not a contradiction;
 * the claim's sentence states it.
 */
export function failedGates(evaluation: MeasuredClaims, calibration: Pick<Calibration, "claims">): readonly string[] {
  const certified = certifiedClaims(calibration);
  return calibration.claims.flatMap((claim) => {
    const { heldOut, reason } = judgeClaim(claim, evaluation, certified);
    if (heldOut !== "contradict") return [];
    return [`${scopeName(claim.scope)}: ${reason}`];
  });
}

/** What the metrics are measured on. The folds of a claim about one catalog may share workflows; those of a claim about new workflows do not. */
function measuredOn(calibration: Calibration, evaluation: Pick<Evaluation, "fold" | "selective_risk">): string {
  const { claims } = calibration;
  if (evaluation.fold !== "eval") {
    const note = claimCountNote(calibration, evaluation);
    return `the requests that certified the claim; none is held out${note === "" ? "" : `. ${note}`}`;
  }
  const ofCatalog = claims.some(({ population }) => population === "this_catalog");
  return ofCatalog ? "held-out requests of this catalog" : "unseen workflows";
}

/** The manifest of a bundle; null if the history does not contain it. */
function manifestIfKept(history: History, bundleId: BundleId): StoredManifest | null {
  try {
    return readManifest(history, bundleId);
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.code === "RECORD_NOT_FOUND") return null;
    throw thrown;
  }
}

/** Why an approver should hesitate although the claims pass; a promise weaker than that in production comes first. */
function reservationOf(calibration: Calibration, changes: ReleaseDifferences | null): string | null {
  if (changes !== null && changes.weaker_promises.length > 0) return "weaker promise than in production";
  return planReservation(calibration);
}

/**
 * Sentences about the releases since `after` that were rejected, and the commands that compare the last one. They never
 * served; later releases should address the reasons.
 */
function rejectedBefore(history: History, now: Manifest, after: number): readonly string[] {
  const rejected = listEntries(history, { kind: "manifest" })
    .map(({ sha256 }) => manifestOf(history, sha256))
    .filter(({ predicate: earlier }) => earlier.release > after && earlier.release < now.release)
    .flatMap(({ bundleId, predicate: earlier }) => {
      const latest = new Map(storedApprovals(history, bundleId).map(({ approval }) => [approval.approver, approval]));
      return [...latest.values()]
        .filter(({ decision }) => decision === "reject")
        .map(({ approver, reason }) => ({ earlier, text: rejectionText(earlier.release, approver, reason) }));
    });
  const last = rejected.at(-1)?.earlier;
  const commands = last === undefined ? [] : comparingCommands(last, now);
  const compare = `To compare release ${last?.release} with this one: ${commands.join("; ")}.`;
  return [...rejected.map(({ text }) => text), ...(commands.length === 0 ? [] : [compare])];
}

function comparingCommands(before: Manifest, now: Manifest): readonly string[] {
  const changed = (idOf: (manifest: Manifest) => Sha256, ...command: readonly string[]): readonly string[] =>
    idOf(before) === idOf(now) ? [] : [[...command, shortId(idOf(before)), shortId(idOf(now))].join(" ")];
  return [
    ...changed(({ catalog }) => catalog.sha256, "sluice", "catalog", "diff"),
    ...changed(({ calibration }) => calibration.sha256, "sluice", "eval", "compare"),
  ];
}

const rejectionText = (release: number, approver: string, reason: string): string =>
  asSentence(printable(`Release ${release} was rejected by ${approver}: ${statedReason(reason)}`));

function changeNote({ release, supersedes }: Manifest, known: boolean, rejections: readonly string[]): string {
  if (supersedes === null && release === 1)
    return "This is the first release: there is no release in production to compare with.";
  if (supersedes === null)
    return [...rejections, "No release has been exported before: there is none in production to compare with."].join(
      " ",
    );
  if (known) return "";
  return `Bundle ${shortId(supersedes)}, which is in production, is not in this history, so nothing can be compared.`;
}

/** What the split of a calibration says about requests edited after they were seen, without texts; null if there are none. */
function editedRequests(
  history: History,
  { digests }: Pick<Calibration, "digests">,
  before: StoredManifest | null,
): EditedRequests | null {
  const edits = editsOf(readSplit(history, digests.split).document);
  if (edits.length === 0) return null;
  const authors = new Map<string, string>();
  for (const { sha256, actor } of listEntries(history, { kind: "split" })) {
    for (const { id } of editsOf(readSplit(history, sha256).document)) {
      if (!authors.has(id)) authors.set(id, actor === "unknown" ? "" : printable(actor));
    }
  }
  const old = before === null ? null : readCalibration(history, before.predicate.calibration.sha256).document;
  const approved = old === null ? [] : editsOf(readSplit(history, old.digests.split).document);
  return listedEdits(edits, { approved, release: before?.predicate.release ?? 0, authors });
}

function auditOf(history: History, { evidence }: Manifest) {
  const audit = evidence.find(({ name }) => name === "audit.json");
  if (audit === undefined) return { lines: [], passed: false };
  const { document } = readAudit(history, audit.sha256);
  return { lines: auditSummary(document), passed: document.findings.every(({ passed }) => passed) };
}

/** The page is itself evidence, and cannot contain its own digest. */
function digestsOf({ evidence, ...predicate }: Manifest): ReleasePage["digests"] {
  return contentDigests({ ...predicate, evidence: evidence.filter(({ name }) => name !== releasePageEvidence) });
}

/** Digests of everything that a manifest pins, with names for approvers. */
function contentDigests(predicate: Manifest): { readonly name: string; readonly sha256: Sha256 }[] {
  return [
    { name: "catalog", sha256: predicate.catalog.sha256 },
    { name: "calibration", sha256: predicate.calibration.sha256 },
    { name: "policy", sha256: predicate.policy.sha256 },
    { name: "retriever (dirHash1)", sha256: predicate.retriever.dir_hash1 },
    { name: "verifier (dirHash1)", sha256: predicate.verifier.dir_hash1 },
    { name: "golden decisions", sha256: predicate.golden.sha256 },
    ...(predicate.vectors === null ? [] : [{ name: "vectors", sha256: predicate.vectors.sha256 }]),
    ...predicate.evidence.map(({ name, sha256 }) => ({ name: `evidence ${name}`, sha256 })),
  ];
}

interface QuestionSources {
  readonly evaluation: Evaluation;
  readonly calibration: Calibration;
  readonly predicate: Pick<Manifest, "exact_events" | "release" | "rollback_floor" | "supersedes">;
  readonly changes: ReleaseDifferences | null;
  /** Sentences about rejected releases since the one in production. */
  readonly rejections: readonly string[];
  /** Verdict of the dataset's audit and who accepted failed checks; empty without an audit. */
  readonly audit: { readonly lines: readonly string[]; readonly passed: boolean };
  readonly catalog: Pick<Catalog, "workflows">;
  /** Workflows of tiers that route nothing, in one sentence; "" if there are none. */
  readonly declined: string;
  readonly routed: readonly RoutedWorkflow[];
  readonly wrongRoutes: readonly WrongRoute[];
  readonly edited: EditedRequests | null;
  /** The release that this one follows, if it was revoked. */
  readonly revoked: { readonly release: number; readonly reason: string } | null;
}

/** Questions that a careful approver asks before signing, answered from the records; concerns come first. */
function releaseQuestions(sources: QuestionSources): ReleaseQuestion[] {
  const all = [
    ...(sources.changes === null ? [] : promiseQuestions(sources.changes)),
    ...workflowQuestions(sources.routed, sources.wrongRoutes, claimCountNote(sources.calibration, sources.evaluation)),
    ...testQuestions(sources),
    ...(sources.changes === null ? [] : changeQuestions(sources.changes)),
    ...(sources.changes === null || sources.rejections.length === 0
      ? []
      : [asked("Was a release rejected since the one in production?", sources.rejections.join(" "), true)]),
    ...scopeQuestions(sources),
    ...operationQuestions(sources),
  ];
  return [...all.filter(({ concern }) => concern), ...all.filter(({ concern }) => !concern)];
}

const asked = (question: string, answer: string, concern: boolean): ReleaseQuestion => ({ question, answer, concern });

function testQuestions({ evaluation, calibration, audit, edited }: QuestionSources): readonly ReleaseQuestion[] {
  const { scoring_errors, requests } = evaluation;
  const { warnings } = calibration;
  return [
    asked(
      "How much evidence is behind the promise?",
      evidenceText(calibration),
      calibration.claims.every(({ effective_routed: tested }) => tested === 0),
    ),
    ...targetQuestion(calibration),
    asked(
      "Was every request scored?",
      scoring_errors === 0
        ? `Yes, all ${formatCount(requests)}.`
        : `No: ${formatCount(scoring_errors)} of ${formatCount(requests)} failed and are not counted.`,
      scoring_errors > 0,
    ),
    asked(
      "Did the audit of the dataset find anything?",
      audit.lines.map(asSentence).join(" ") || "There is no audit.",
      !audit.passed,
    ),
    ...(edited === null
      ? []
      : [
          asked(
            "Were any requests edited after their outcome was seen?",
            `Yes, ${formatCount(edited.requests)}${edited.known === 0 ? "" : `, of which the page of the release before lists ${formatCount(edited.known)}`}: withdrawn from the test with a reason, or held out and then changed. The annex lists them with their old labels. The texts are in the labelled requests (requests.jsonl of the project), under the same ids.`,
            edited.known < edited.requests,
          ),
        ]),
    ...(warnings.length === 0 ? [] : [asked("What does the calibration warn about?", listed(warnings), true)]),
  ];
}

/** The planned target, where the overall claim, or that of a language, states a looser one. */
function targetQuestion({ claims, fit }: Pick<Calibration, "claims" | "fit">): readonly ReleaseQuestion[] {
  const signed = claims.filter(({ certified }) => certified).map(({ target_risk: target }) => target);
  const loosest = Math.max(0, ...signed);
  if (loosest <= fit.target_risk) return [];
  const [planned, passed] = [fit.target_risk, loosest].map((target) => formatPercent(target));
  return [
    asked("Was the planned target met?", `No: ${planned} was planned; the strictest that passed is ${passed}.`, true),
  ];
}

/** How many independent requests the claim with the most evidence counts. */
function evidenceText({ claims }: Calibration): string {
  const most = claims.toSorted((a, b) => b.effective_routed - a.effective_routed)[0];
  if (most === undefined || most.effective_routed === 0) return "None: no tested request could be routed.";
  const { routed, effective_routed: tested } = most;
  if (tested >= routed)
    return `${counted(routed, "routed request")}, each of which the claim's test counts as independent.`;
  const reason =
    most.population === "this_catalog"
      ? "near-copies, and requests of one out-of-scope group, are no independent evidence"
      : "requests for one workflow are alike";
  return `${counted(routed, "routed request")}, which count as at most ${counted(tested, "independent request")}: ${reason}.`;
}

/** Sentences as one text, numbered if there are several. */
function listed(texts: readonly string[]): string {
  if (texts.length < 2) return texts.map(asSentence).join("");
  return texts.map((text, index) => `(${index + 1}) ${asSentence(text)}`).join(" ");
}

const asSentence = (text: string): string => (/[.!?]$/u.test(text) ? text : `${text}.`);

function promiseQuestions({ weaker_promises: weaker }: ReleaseDifferences): readonly ReleaseQuestion[] {
  if (weaker.length === 0) return [];
  return [
    asked("Is a weaker promise acceptable?", `The promise is weaker than in production. ${listed(weaker)}`, true),
  ];
}

function changeQuestions({ flips, metrics, workflows, parts }: ReleaseDifferences): readonly ReleaseQuestion[] {
  const worse = metrics.filter(({ verdict }) => verdict === "worse");
  const models = parts.filter((part) => part === "retriever" || part === "verifier");
  return [
    asked(
      "Is any measure worse than in production?",
      worse.length === 0
        ? "None is shown to be worse."
        : `${worse.map(({ label, difference }) => `${label} ${difference}`).join("; ")}.`,
      worse.length > 0,
    ),
    ...(flips === null
      ? [asked("Which decisions change?", "Unknown: the releases share no tested request.", true)]
      : [
          asked(
            "Do individual requests get a worse decision?",
            `${formatCount(flips.worse)} of ${formatCount(flips.requests)} get a worse decision, ${formatCount(flips.better)} a better one.`,
            flips.worse > 0,
          ),
        ]),
    ...(workflows.removed.length === 0
      ? []
      : [
          asked(
            "What happens to requests for removed workflows?",
            `Requests for ${shortList(workflows.removed)} should be declined.`,
            true,
          ),
        ]),
    ...(models.length === 0
      ? []
      : [
          asked(
            "Do the models change?",
            `Yes: ${models.join(" and ")}. The confidences of the two releases cannot be compared.`,
            true,
          ),
        ]),
  ];
}

function trafficQuestions({ evaluation, calibration }: QuestionSources): readonly ReleaseQuestion[] {
  const { out_of_scope_share, traffic } = calibration;
  const share = `${formatPercentDown(out_of_scope_share)} of requests`;
  return [
    asked(
      "How many out-of-scope requests does the claim assume?",
      traffic.declared
        ? `${share}, as declared for production.`
        : `${share}, as in the test. No share was declared for production.`,
      !traffic.declared,
    ),
    asked(
      "How many requests are routed?",
      `${formatRate(evaluation.coverage)}. The others are declined or answered with a question.`,
      true,
    ),
    asked(
      "How many out-of-scope requests are routed?",
      `${formatRate(evaluation.out_of_scope_routed)}. Such a route is wrong.`,
      false,
    ),
  ];
}

/** What replaces the traffic if routes were drawn from a log. */
const drawnQuestions = (drawn: DrawnRoutes): readonly ReleaseQuestion[] => [
  asked(
    "How many requests are routed?",
    `${formatPercent(drawn.routed_share, 2)} of the log, which must be like production. The others are declined or answered with a question.`,
    true,
  ),
  asked(
    "Who judged the routes?",
    drawn.second_opinions === 0
      ? `${counted(drawn.people, "person", "people")}, and nobody gave a second opinion. A wrong route that was confirmed is not counted.`
      : `${counted(drawn.people, "person", "people")}; second opinions differ in ${drawn.disagreements} of ${drawn.second_opinions}.`,
    true,
  ),
];

function scopeQuestions(sources: QuestionSources): readonly ReleaseQuestion[] {
  const { calibration, routed } = sources;
  const reachable = routed.map(({ workflow_id }) => workflow_id).sort();
  const { rising_risk, tiers, certified_workflows, fit } = calibration;
  const abstaining = usedTiers({ tiers }).filter((tier) => tiers[tier].confidence === null);
  const rises = rising_risk !== null && rising_risk.statistic > 1.645;
  return [
    ...(fit.drawn_routes === undefined ? trafficQuestions(sources) : drawnQuestions(fit.drawn_routes)),
    ...(rising_risk === null
      ? []
      : [
          asked(
            "Are high-scoring routes wrong more often than scores imply?",
            rises ? "Yes, and no claim about new workflows covers that." : "There is no sign of it.",
            rises,
          ),
        ]),
    ...(certified_workflows === null
      ? []
      : [
          asked(
            "To which workflows can texts be routed?",
            `The ${formatCount(reachable.length)} tested ones${abstaining.length === 0 ? "" : " in tiers that route"}: ${shortList(reachable, mostWorkflows)}. No text is routed to others.`,
            true,
          ),
        ]),
    languageQuestion(calibration),
    ...abstentionQuestions(sources),
  ];
}

function languageQuestion(calibration: Calibration): ReleaseQuestion {
  const [answer = "", ...details] = describeLanguages(calibration);
  return asked("Which languages are promised?", [answer, ...details].join(" "), calibration.languages === undefined);
}

function abstentionQuestions({ declined }: QuestionSources): readonly ReleaseQuestion[] {
  return declined === "" ? [] : [asked("Which workflows are always declined?", declined, true)];
}

function operationQuestions({ predicate, revoked }: QuestionSources): readonly ReleaseQuestion[] {
  const { exact_events: events, release, rollback_floor: floor, supersedes } = predicate;
  const noWayBack = supersedes !== null && floor >= release;
  return [
    asked(
      "Can a caller choose a workflow by naming an event?",
      events.enabled ? `${describeExactEvents(events)}.` : "No.",
      events.enabled,
    ),
    ...(revoked === null
      ? []
      : [
          asked(
            "Was the release before this one revoked?",
            `Yes, release ${revoked.release}: ${asSentence(printable(statedReason(revoked.reason)))} It serves nowhere, so differences from it say little.`,
            true,
          ),
        ]),
    asked(
      "Can production return to an older release?",
      noWayBack
        ? "No: once this release has served, older releases are refused."
        : supersedes === null
          ? "No: no release has been exported before this one."
          : `Yes, to release ${floor} or later${revoked === null ? "" : `, but not to release ${revoked.release}`}.`,
      noWayBack,
    ),
  ];
}

const shownNames = 5;
/** Maximum number of tested workflows that the page names. */
const mostWorkflows = 20;

function shortList(names: readonly string[], most = shownNames): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}
