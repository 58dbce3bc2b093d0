import { describedRetriever } from "../../src/router/retrieval/parse-retriever.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import { InferencePool } from "../../src/inference/pool.js";
import { MemoryEmbeddingCache, type OpenEmbeddingCache } from "../../src/router/retrieval/embedding-cache.js";
import { openRetriever, type OpenRetriever } from "../../src/router/retrieval/load-retriever.js";
import type { ModelFiles } from "../../src/router/retrieval/model-files.js";
import { readModel, type Reference } from "../../store/records/read-records.js";
import { withHistory } from "../../store/records/session.js";
import { shippedFolder } from "../../store/shipped-models.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { counted } from "../../src/documents/number-text.js";
import { groupBy } from "../../src/base/group-by.js";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { productionProblems } from "../../src/router/catalog/rules.js";
import { unbounded } from "../../src/documents/run-scope.js";
import { stepOf } from "../../store/step-progress.js";
import { SluiceError } from "../../src/base/error.js";
import { bestPositions } from "../../src/router/retrieval/best-positions.js";

/** A text with a known workflow. */
export interface KnownText {
  readonly text: string;
  readonly workflowId: string;
  /** Workflows to rank. Default: all. */
  readonly allowed?: ReadonlySet<string>;
}

/** The retriever's rank of the right workflow of a text. */
interface RankedText extends KnownText {
  readonly first: string;
  /** 1-based rank of the right workflow if it is among the first three, otherwise null. */
  readonly place: number | null;
}

interface RankingWork {
  readonly retriever: OpenRetriever;
  /** Embedding cache shared by the parts. */
  readonly cache: OpenEmbeddingCache;
  readonly signal: AbortSignal;
  /** Called after each ranked text. */
  readonly onRanked: () => void;
}

const examinedPlaces = 3;

/** Ranks texts over a catalog. @throws {SluiceError} INTERRUPTED, and the errors of loading a retriever */
export async function rankTexts(
  workflows: readonly Workflow[],
  texts: readonly KnownText[],
  { retriever, cache, signal, onRanked }: RankingWork,
): Promise<readonly RankedText[]> {
  const index = await retriever.over(workflows, { cache, signal });
  const ranked: RankedText[] = [];
  for (const known of texts) {
    if (signal.aborted) throw new SluiceError("INTERRUPTED", "the ranking was interrupted");
    const ranking = await index.rank(known.text, unbounded);
    const competes = (position: number): boolean =>
      known.allowed === undefined || known.allowed.has(ranking.workflowIds[position] ?? "");
    const best = bestPositions(ranking, examinedPlaces, competes).map(
      (position) => ranking.workflowIds[position] ?? "",
    );
    const place = best.indexOf(known.workflowId);
    ranked.push({ ...known, first: best[0] ?? "", place: place < 0 ? null : place + 1 });
    onRanked();
  }
  return ranked;
}

/** Number of parts; each part is ranked over a catalog without it. */
const parts = 5;

/**
 * Ranks each example over a catalog that does not contain it. The examples of each workflow are spread over the parts,
 * and each part is ranked over a catalog with the examples of the other parts. A workflow with a single example is then
 * found by its name and description.
 */
async function rankExamples(workflows: readonly Workflow[], work: RankingWork): Promise<readonly RankedText[]> {
  const ranked: RankedText[] = [];
  for (let part = 0; part < parts; part += 1) {
    const hidden = workflows.flatMap(({ workflow_id: workflowId, examples }) =>
      examples.filter((_, index) => index % parts === part).map((text) => ({ text, workflowId })),
    );
    if (hidden.length === 0) continue;
    const without = workflows.map((workflow) => ({
      ...workflow,
      examples: workflow.examples.filter((_, index) => index % parts !== part),
    }));
    ranked.push(...(await rankTexts(without, hidden, work)));
  }
  return ranked;
}

export interface LintOptions {
  /** A retriever in the history, or a model folder. Default: the shipped retriever. */
  readonly retriever?: Reference;
  /** Whether to rank examples; if not, only the rules are checked. */
  readonly measure: boolean;
}

export interface LintMeasure {
  readonly examples: number;
  /** Number of examples whose workflow ranked first. */
  readonly first: number;
}

export interface CatalogLint {
  /** Errors first, then warnings, then notes. */
  readonly findings: readonly LintFinding[];
  /** null if nothing was measured. */
  readonly measured: LintMeasure | null;
}

/**
 * Lints a catalog: by rules that need no model, and by how a retriever ranks each example if the catalog does not
 * contain it.
 * @throws {SluiceError} INTERRUPTED, and the errors of loading a model
 */
export async function examineCatalog(
  context: WorkbenchContext,
  catalog: Catalog,
  options: LintOptions,
): Promise<CatalogLint> {
  const fixed = staticFindings(catalog);
  const active = catalog.workflows.filter(({ status }) => status === "active");
  if (!options.measure || active.length < 2) return { findings: bySeverity(fixed), measured: null };
  const files = await retrieverFiles(context, options.retriever);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const vectors = new MemoryEmbeddingCache();
    const retriever = await openRetriever(describedRetriever(files), pool);
    const [cache, { signal, progress }] = [async () => vectors, context];
    // Encodes every text once, which takes the longest.
    await retriever.over(active, { cache, signal, onProgress: stepOf(progress, "encoding examples") });
    progress.start(
      "ranking examples",
      active.reduce((sum, { examples }) => sum + examples.length, 0),
    );
    let done = 0;
    const work = {
      retriever,
      cache,
      signal,
      onRanked: (): void => context.progress.update((done += 1)),
    };
    const ranked = await rankExamples(active, work);
    context.progress.done();
    const first = ranked.filter(({ place }) => place === 1).length;
    return {
      findings: bySeverity([...fixed, ...nearTwins(ranked), ...strays(ranked)]),
      measured: { examples: ranked.length, first },
    };
  } finally {
    await pool.close();
  }
}

async function retrieverFiles(context: WorkbenchContext, reference: Reference | undefined): Promise<ModelFiles> {
  if (reference?.kind === "id") {
    return withHistory(context, "read", async ({ history }) => readModel(history, reference.id).files);
  }
  const folder = reference?.path ?? shippedFolder("default", "retriever");
  return (await readDirectory(folder)).files;
}

const bySeverity = (findings: readonly LintFinding[]): readonly LintFinding[] =>
  findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));

/** Minimum number of confused examples for reporting two workflows as nearly identical. */
const fewestConfusions = 2;
/** Minimum share of a workflow's examples that are confused with the other workflow. */
const confusedShare = 0.25;

function nearTwins(ranked: readonly RankedText[]): readonly LintFinding[] {
  const ofWorkflow = groupBy(ranked, ({ workflowId }) => workflowId);
  const wrong = ranked.filter(({ first, workflowId }) => first !== workflowId);
  const pairs = groupBy(wrong, ({ first, workflowId }) => [first, workflowId].sort().join("\0"));
  return [...pairs].flatMap(([pair, confused]): readonly LintFinding[] => {
    const [a = "", b = ""] = pair.split("\0");
    const [aside, bside] = [a, b].map((own) => {
      const all = ofWorkflow.get(own)?.length ?? 0;
      return { own, all, taken: confused.filter(({ workflowId }) => workflowId === own).length };
    });
    const sides = [aside, bside].flatMap((side) => (side === undefined ? [] : [side]));
    const heavy = sides.some(({ taken, all }) => taken >= fewestConfusions && taken >= all * confusedShare);
    if (!heavy) return [];
    const mistaken = sides
      .filter(({ taken }) => taken > 0)
      .map(
        ({ own, all, taken }) =>
          `${taken} of ${counted(all, "example")} of ${own} are mistaken for ${own === a ? b : a}`,
      );
    return [
      {
        rule: "near_twins",
        severity: "warning",
        workflow_ids: [a, b],
        message: `${a} and ${b} are confused: ${mistaken.join("; ")}`,
        advice:
          "Add to each an exclusion that names what the other does, or merge them: in a project, give both labels one id in workflow-ids.csv.",
      },
    ];
  });
}

function strays(ranked: readonly RankedText[]): readonly LintFinding[] {
  return ranked
    .filter(({ place }) => place === null)
    .map(({ text, workflowId, first }) => ({
      rule: "example_elsewhere",
      severity: "warning",
      workflow_ids: [workflowId, first],
      message: `${JSON.stringify(text)}, an example of ${workflowId}, is closer to ${first} and others when held out`,
      advice: "Move it if it belongs there; otherwise add similar examples to its own workflow.",
    }));
}

/** Minimum number of examples per workflow without a finding. */
const fewExamples = 3;

/** Findings that need no model. Only active workflows are examined. */
function staticFindings(catalog: Catalog): readonly LintFinding[] {
  const active = catalog.workflows.filter(({ status }) => status === "active");
  return [
    ...repeatedExamples(active),
    ...sameDescriptions(active),
    ...active.flatMap(descriptionFinding),
    ...active.flatMap(exampleFinding),
    ...productionProblems(catalog).map(
      ({ workflowId, message }): LintFinding => ({
        rule: "not_production",
        severity: "warning",
        workflow_ids: [workflowId],
        message,
        advice: "Correct it before the catalog is signed.",
      }),
    ),
  ];
}

function repeatedExamples(workflows: readonly Workflow[]): readonly LintFinding[] {
  const places = workflows.flatMap(({ workflow_id: workflowId, examples }) =>
    examples.map((text) => ({ workflowId, text })),
  );
  return [...groupBy(places, ({ text }) => normaliseText(text)).values()].flatMap((same): readonly LintFinding[] => {
    const owners = [...new Set(same.map(({ workflowId }) => workflowId))];
    const [first] = same;
    if (owners.length < 2 || first === undefined) return [];
    return [
      {
        rule: "repeated_example",
        severity: "error",
        workflow_ids: owners,
        message: `${JSON.stringify(first.text)} is an example of ${owners.join(" and of ")}`,
        advice: "Keep it in the workflow that should handle it, and remove it from the other.",
      },
    ];
  });
}

function sameDescriptions(workflows: readonly Workflow[]): readonly LintFinding[] {
  const same = groupBy(workflows, ({ description }) => normaliseText(description));
  return [...same.values()].flatMap((group): readonly LintFinding[] => {
    if (group.length < 2) return [];
    const untold = group.filter(({ examples }) => examples.length === 0);
    return [
      {
        rule: "same_description",
        severity: untold.length > 1 ? "error" : "warning",
        workflow_ids: group.map(({ workflow_id: workflowId }) => workflowId),
        message: `${group.map(({ workflow_id: workflowId }) => workflowId).join(" and ")} have the same description`,
        advice: "State how each differs, and add exclusions.",
      },
    ];
  });
}

/** Words that a drafted description adds to the name. */
const emptyWords = new Set(["requests", "about", "workflow", "for", "this", "the", "a", "an"]);

function descriptionFinding({ workflow_id: workflowId, name, description }: Workflow): readonly LintFinding[] {
  const named = new Set([...normaliseText(name).split(" "), ...workflowId.split(/[._-]/)]);
  const further = normaliseText(description)
    .split(" ")
    .filter((word) => !named.has(word) && !emptyWords.has(word));
  if (further.length > 0) return [];
  return [
    {
      rule: "drafted_description",
      severity: "warning",
      workflow_ids: [workflowId],
      message: `the description of ${workflowId} adds nothing to its name`,
      advice: "Describe in one or two sentences what it does; retrieval uses the description.",
    },
  ];
}

function exampleFinding({ workflow_id: workflowId, examples }: Workflow): readonly LintFinding[] {
  if (examples.length >= fewExamples) return [];
  const none = examples.length === 0;
  return [
    {
      rule: none ? "no_example" : "few_examples",
      severity: none ? "warning" : "note",
      workflow_ids: [workflowId],
      message: none
        ? `${workflowId} has no example`
        : `${workflowId} has ${counted(examples.length, "example")}, fewer than ${fewExamples}`,
      advice: none ? "Add one request as people write it: the first example gains the most." : "Give it three to ten.",
    },
  ];
}

/** `error`: makes routing wrong or arbitrary. `warning`: reduces accuracy. `note`: for information. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

export const lintRules = {
  repeated_example: "the same example is in two workflows",
  same_description: "two workflows have the same description",
  near_twins: "examples of one workflow are mistaken for another",
  example_elsewhere: "an example is closer to other workflows than to its own",
  no_example: "a workflow has no example",
  few_examples: "a workflow has fewer than three examples",
  drafted_description: "a description adds nothing to the name",
  not_production: "production refuses the workflow",
} as const;
type LintRule = keyof typeof lintRules;

export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: Severity;
  readonly workflow_ids: readonly string[];
  /** Description of the problem, with its numbers. */
  readonly message: string;
  readonly advice: string;
}
