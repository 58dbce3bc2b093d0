import { type Static, Type } from "../../src/base/typebox.js";
import { sideEffects } from "../../src/documents/catalog.js";
import { riskTiers } from "../../src/documents/choices.js";
import { BundleIdSchema, object, CountSchema, Sha256Schema, VersionSchema } from "../../src/documents/primitives.js";

/** Name of the view model among the evidence of a manifest. */
export const releasePageEvidence = "release-page.json";

const Text = Type.String();
const Texts = Type.Array(Text);
const VerdictSchema = Type.Enum(["pass", "fail", "NOT SHOWN", "abstains", "no claim"]);

/** A measure of both releases on the same requests, formatted. */
const MetricChangeSchema = object({
  label: Text,
  direction: Type.Enum(["higher is better", "lower is better"]),
  before: Text,
  now: Text,
  /** The new value minus the old one, with its paired band. */
  difference: Text,
  verdict: Type.Enum(["better", "worse", "no difference shown"]),
});

const FlipsSchema = object({
  requests: CountSchema,
  flips: CountSchema,
  better: CountSchema,
  worse: CountSchema,
  /** The first flips; worse decisions come first. */
  listed: Type.Array(object({ id: Text, effect: Type.Enum(["worse", "neutral", "better"]), before: Text, now: Text })),
});

const WorkflowChangesSchema = object({
  added: Texts,
  removed: Texts,
  renamed: Type.Array(object({ from: Text, to: Text })),
  changed: Type.Array(object({ workflow_id: Text, fields: Texts })),
  unchanged: CountSchema,
});

/** Changes compared with the release in production. */
const ReleaseDifferencesSchema = object({
  bundle_id: BundleIdSchema,
  bundle_version: VersionSchema,
  release: CountSchema,
  /** The requests on which the releases are compared, or why they are not compared. */
  compared_on: Text,
  metrics: Type.Array(MetricChangeSchema),
  flips: Type.Union([FlipsSchema, Type.Null()]),
  workflows: WorkflowChangesSchema,
  /** Changed targets of the claims and of the shortlists. */
  promises: Texts,
  /** Those of them that became weaker. */
  weaker_promises: Texts,
  thresholds: Texts,
  policy: Texts,
  events: Texts,
  /** Parts of the bundle whose bytes differ. */
  parts: Texts,
});

/** A workflow that texts can be routed to: the cost of a wrong route, and its requests among those behind the rates. */
const RoutedWorkflowSchema = object({
  workflow_id: Text,
  risk_tier: Type.Enum([...riskTiers]),
  side_effect: Type.Enum([...sideEffects]),
  /** "never", or when the caller must ask its user. */
  confirmation: Text,
  tested: CountSchema,
  routed: CountSchema,
  /** Requests of this workflow that were routed to another one. */
  wrong: CountSchema,
});
const RoutedWorkflowsSchema = object({
  workflows: CountSchema,
  /** The first workflows; those most often wrong, then declined, come first. */
  listed: Type.Array(RoutedWorkflowSchema),
});

/** Wrong routes of the requests behind the rates; `right` is `(out of scope)` for requests that no workflow fits. */
const WrongRoutesSchema = object({
  routes: CountSchema,
  /** The first of them, in the order of the data. */
  listed: Type.Array(object({ id: Text, right: Text, routed: Text })),
});

/** Requests that were withdrawn from the test, or held out and then changed, after their outcome was seen. */
const EditedRequestsSchema = object({
  requests: CountSchema,
  /** Number of them that the page of the release before lists as well. */
  known: CountSchema,
  /** The first of them, withdrawn ones first, in the order of the data. */
  listed: Type.Array(
    object({
      id: Text,
      /** The label that was seen; `(out of scope)` for none. */
      label: Text,
      /** Author of the record that first states it; "" if unknown. */
      by: Text,
      what: Text,
    }),
  ),
});

/**
 * The part of the release page that does not change over time. The producer signs it as evidence of the manifest, and
 * approvers sign its digest. It cannot contain the id of its bundle, which depends on it.
 */
export const ReleasePageSchema = object({
  schema_version: Type.Literal(1),
  bundle_version: VersionSchema,
  producer: Text,
  release: CountSchema,
  rollback_floor: CountSchema,
  catalog_version: VersionSchema,
  calibration_version: VersionSchema,
  /** Whether, and in which tiers, callers may choose a workflow by an event. */
  exact_events: Text,
  verdict: VerdictSchema,
  verdict_sentence: Text,
  /** Why the verdict is a pass only with a reservation; null: it has none. */
  reservation: Type.Union([Text, Type.Null()]),
  /** Promise, routed share, wrong routes of the test and planned target. */
  headline: Type.Array(object({ label: Text, value: Text })),
  /** What is promised, and what that rests on; "" if nothing is. */
  promise: Text,
  basis: Text,
  /** Workflows of tiers that route nothing; omitted if there are none. */
  always_declined: Type.Optional(Text),
  /** Promise about shortlists; omitted if there is none. */
  shortlist: Type.Optional(Text),
  /** Promises about requests that follow another one, and their rows; omitted without labelled follow-ups. */
  follow_ups: Type.Optional(Texts),
  claims: Type.Array(object({ scope: Text, verdict: VerdictSchema, reason: Text, sentence: Text })),
  /** Certified claims that held-out requests contradict. Approval then requires a recorded override. */
  failed_gates: Texts,
  /** The data behind the rates below. */
  measured_on: Text,
  measured: Type.Array(
    object({
      label: Text,
      direction: Type.Enum(["higher is better", "lower is better"]),
      text: Text,
      basis: Text,
      meaning: Text,
    }),
  ),
  /** null: nothing is in production, or its release is not in this history; see `change_note`. */
  changes: Type.Union([ReleaseDifferencesSchema, Type.Null()]),
  change_note: Text,
  /** Questions that an approver should ask. `concern`: the answer needs attention; these come first. */
  questions: Type.Array(object({ question: Text, answer: Text, concern: Type.Boolean() })),
  wrong_routes: WrongRoutesSchema,
  routed_workflows: RoutedWorkflowsSchema,
  edited: Type.Optional(EditedRequestsSchema),
  digests: Type.Array(object({ name: Text, sha256: Sha256Schema })),
});
export type ReleasePage = Static<typeof ReleasePageSchema>;
export type ReleaseDifferences = Static<typeof ReleaseDifferencesSchema>;
export type ReleaseQuestion = ReleasePage["questions"][number];
export type RoutedWorkflow = Static<typeof RoutedWorkflowSchema>;
export type RoutedWorkflows = Static<typeof RoutedWorkflowsSchema>;
export type WrongRoutes = Static<typeof WrongRoutesSchema>;
export type EditedRequests = Static<typeof EditedRequestsSchema>;
export type MetricChange = Static<typeof MetricChangeSchema>;
export type ListedFlips = Static<typeof FlipsSchema>;
export type WorkflowChanges = Static<typeof WorkflowChangesSchema>;
