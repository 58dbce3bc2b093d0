import { type Static, Type } from "../../src/base/typebox.js";
import { BundleIdSchema, closed, CountSchema, Sha256Schema, VersionSchema } from "../../src/documents/primitives.js";

/** Name of the view model among the evidence of a manifest. */
export const releasePageEvidence = "release-page.json";

const Text = Type.String();
const Texts = Type.Array(Text);
const VerdictSchema = Type.Enum(["pass", "fail", "NOT SHOWN", "abstains", "no claim"]);

/** A measure of both releases on the same requests, formatted. */
const MetricChangeSchema = Type.Object(
  {
    label: Text,
    direction: Type.Enum(["higher is better", "lower is better"]),
    before: Text,
    now: Text,
    /** Now minus before with its paired band. */
    difference: Text,
    /** What the band shows. */
    verdict: Type.Enum(["better", "worse", "no difference shown"]),
  },
  closed,
);

const FlipsSchema = Type.Object(
  {
    requests: CountSchema,
    flips: CountSchema,
    better: CountSchema,
    worse: CountSchema,
    /** The first flips, worse decisions first. */
    listed: Type.Array(
      Type.Object({ id: Text, effect: Type.Enum(["worse", "neutral", "better"]), before: Text, now: Text }, closed),
    ),
  },
  closed,
);

const WorkflowChangesSchema = Type.Object(
  {
    added: Texts,
    removed: Texts,
    renamed: Type.Array(Type.Object({ from: Text, to: Text }, closed)),
    changed: Type.Array(Type.Object({ workflow_id: Text, fields: Texts }, closed)),
    unchanged: CountSchema,
  },
  closed,
);

/** What changes compared with the release in production. */
const ReleaseDifferencesSchema = Type.Object(
  {
    bundle_id: BundleIdSchema,
    bundle_version: VersionSchema,
    release: CountSchema,
    /** The requests on which the two are compared, or why they are not. */
    compared_on: Text,
    metrics: Type.Array(MetricChangeSchema),
    flips: Type.Union([FlipsSchema, Type.Null()]),
    workflows: WorkflowChangesSchema,
    thresholds: Texts,
    policy: Texts,
    events: Texts,
    /** Parts whose bytes differ. */
    parts: Texts,
  },
  closed,
);

/**
 * The part of the release page that does not change over time: the producer signs it as evidence of the manifest, and
 * an approver signs its digest. It cannot name its bundle, whose id depends on it.
 */
export const ReleasePageSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    bundle_version: VersionSchema,
    producer: Text,
    release: CountSchema,
    rollback_floor: CountSchema,
    catalog_version: VersionSchema,
    calibration_version: VersionSchema,
    /** Whether a caller may choose a workflow by an event, and in which tiers. */
    exact_events: Text,
    /** The verdict of the evaluation on everything. */
    verdict: VerdictSchema,
    verdict_sentence: Text,
    /** The main claim in one sentence. */
    claim: Text,
    /** Promise about shortlists; absent if there is none. */
    shortlist: Type.Optional(Text),
    claims: Type.Array(Type.Object({ scope: Text, verdict: VerdictSchema, reason: Text, sentence: Text }, closed)),
    /** Claims that were measured above their target; an approval then needs a recorded override. */
    failed_gates: Texts,
    /** What the rates below were measured on. */
    measured_on: Text,
    measured: Type.Array(
      Type.Object(
        {
          label: Text,
          direction: Type.Enum(["higher is better", "lower is better"]),
          text: Text,
          basis: Text,
          meaning: Text,
        },
        closed,
      ),
    ),
    /** null: nothing is in production, or it is not in this history; `change_note` says which. */
    changes: Type.Union([ReleaseDifferencesSchema, Type.Null()]),
    change_note: Text,
    /** Questions of a careful person; `concern`: the answer needs attention. Concerns come first. */
    questions: Type.Array(Type.Object({ question: Text, answer: Text, concern: Type.Boolean() }, closed)),
    digests: Type.Array(Type.Object({ name: Text, sha256: Sha256Schema }, closed)),
  },
  closed,
);
export type ReleasePage = Static<typeof ReleasePageSchema>;
export type ReleaseDifferences = Static<typeof ReleaseDifferencesSchema>;
export type ReleaseQuestion = ReleasePage["questions"][number];
export type MetricChange = Static<typeof MetricChangeSchema>;
export type ListedFlips = Static<typeof FlipsSchema>;
export type WorkflowChanges = Static<typeof WorkflowChangesSchema>;
