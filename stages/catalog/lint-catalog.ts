import { describedRetriever } from "../../src/router/retrieval/parse-retriever.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import { InferencePool } from "../../src/inference/pool.js";
import { MemoryEmbeddingCache, type OpenEmbeddingCache } from "../../src/router/retrieval/embedding-cache.js";
import { openRetriever, type OpenRetriever } from "../../src/router/retrieval/load-retriever.js";
import { shippedFolder } from "../../store/shipped-models.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { counted } from "../../src/documents/number-text.js";
import { groupBy } from "../../src/base/group-by.js";
import { normaliseText } from "../../datasets/near-duplicates.js";
import { unbounded } from "../../src/documents/run-scope.js";
import { stepOf } from "../../store/step-progress.js";
import { SluiceError } from "../../src/base/error.js";
import { bestPositions } from "../../src/router/retrieval/best-positions.js";

export interface KnownText {
  readonly text: string;
  readonly workflowId: string;
  /** Workflows to rank. Default: all. */
  readonly allowed?: ReadonlySet<string>;
}

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
 * Lints a catalog: by rules that need no model, and by how the shipped retriever ranks each example if the catalog does
 * not contain it.
 * @param measure  whether to rank examples; if not, only the rules are checked
 * @throws {SluiceError} INTERRUPTED, and the errors of loading a model
 */
export async function examineCatalog(
  { signal, progress }: Pick<WorkbenchContext, "signal" | "progress">,
  { workflows }: Catalog,
  measure: boolean,
): Promise<CatalogLint> {
  const active = workflows.filter(({ status }) => status === "active");
  const fixed = staticFindings(active);
  if (!measure || active.length < 2) return { findings: bySeverity(fixed), measured: null };
  const { files } = await readDirectory(shippedFolder("default", "retriever"));
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const vectors = new MemoryEmbeddingCache();
    const cache = async () => vectors;
    const retriever = await openRetriever(describedRetriever(files), pool);
    // Encodes every text once, which takes the longest.
    await retriever.over(active, { cache, signal, onProgress: stepOf(progress, "encoding examples") });
    progress.start(
      "ranking examples",
      active.reduce((sum, { examples }) => sum + examples.length, 0),
    );
    let done = 0;
    const onRanked = (): void => progress.update((done += 1));
    const ranked = await rankExamples(active, { retriever, cache, signal, onRanked });
    progress.done();
    const first = ranked.filter(({ place }) => place === 1).length;
    return {
      findings: bySeverity([...fixed, ...nearTwins(ranked), ...strays(ranked)]),
      measured: { examples: ranked.length, first },
    };
  } finally {
    await pool.close();
  }
}

/** `error`: makes routing wrong or arbitrary. `warning`: reduces accuracy. `note`: for information. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

export const lintRules = {
  repeated_example: {
    severity: "error",
    title: "the same example is in two workflows",
    advice: "Keep it in the workflow that should handle it, and remove it from the other.",
  },
  same_description: {
    severity: "error",
    title: "two workflows without examples have the same description",
    advice: "State how each differs, and add exclusions.",
  },
  near_twins: {
    severity: "warning",
    title: "examples of one workflow are mistaken for another",
    advice:
      "Add to each an exclusion that names what the other does, or merge them: in a project, give both labels one id in workflow-ids.csv.",
  },
  example_elsewhere: {
    severity: "warning",
    title: "an example is closer to other workflows than to its own",
    advice: "Move it if it belongs there; otherwise add similar examples to its own workflow.",
  },
  no_example: {
    severity: "warning",
    title: "a workflow has no example",
    advice: "Add one request as people write it: the first example gains the most.",
  },
  few_examples: {
    severity: "note",
    title: "a workflow has fewer than three examples",
    advice: "Give it three to ten.",
  },
  drafted_description: {
    severity: "warning",
    title: "a description adds nothing to the name",
    advice: "Describe in one or two sentences what it does; retrieval uses the description.",
  },
} as const satisfies Readonly<Record<string, { severity: Severity; title: string; advice: string }>>;
type LintRule = keyof typeof lintRules;

export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: Severity;
  readonly workflow_ids: readonly string[];
  /** Description of the problem, with its numbers. */
  readonly message: string;
}

const finding = (rule: LintRule, workflowIds: readonly string[], message: string): LintFinding => ({
  rule,
  severity: lintRules[rule].severity,
  workflow_ids: workflowIds,
  message,
});

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
    const ids = pair.split("\0");
    const sides = ids.map((own, index) => {
      const all = ofWorkflow.get(own)?.length ?? 0;
      const taken = confused.filter(({ workflowId }) => workflowId === own).length;
      return { own, other: ids[1 - index] ?? "", all, taken };
    });
    if (!sides.some(({ taken, all }) => taken >= fewestConfusions && taken >= all * confusedShare)) return [];
    const mistaken = sides
      .filter(({ taken }) => taken > 0)
      .map(
        ({ own, other, all, taken }) => `${taken} of ${counted(all, "example")} of ${own} are mistaken for ${other}`,
      );
    return [finding("near_twins", ids, `${ids.join(" and ")} are confused: ${mistaken.join("; ")}`)];
  });
}

function strays(ranked: readonly RankedText[]): readonly LintFinding[] {
  return ranked
    .filter(({ place }) => place === null)
    .map(({ text, workflowId, first }) => {
      const what = `${JSON.stringify(text)}, an example of ${workflowId}`;
      return finding(
        "example_elsewhere",
        [workflowId, first],
        `${what}, is closer to ${first} and others when held out`,
      );
    });
}

/** Minimum number of examples per workflow without a finding. */
const fewExamples = 3;

function staticFindings(active: readonly Workflow[]): readonly LintFinding[] {
  return [
    ...repeatedExamples(active),
    ...sameDescriptions(active),
    ...active
      .filter(isDrafted)
      .map(({ workflow_id: id }) =>
        finding("drafted_description", [id], `the description of ${id} adds nothing to its name`),
      ),
    ...active
      .filter(({ examples }) => examples.length === 0)
      .map(({ workflow_id: id }) => finding("no_example", [id], `${id} has no example`)),
    ...active
      .filter(({ examples: { length } }) => length > 0 && length < fewExamples)
      .map(({ workflow_id: id, examples: { length } }) =>
        finding("few_examples", [id], `${id} has ${counted(length, "example")}, fewer than ${fewExamples}`),
      ),
  ];
}

function repeatedExamples(workflows: readonly Workflow[]): readonly LintFinding[] {
  const places = workflows.flatMap(({ workflow_id: workflowId, examples }) =>
    examples.map((text) => ({ workflowId, text })),
  );
  return [...groupBy(places, ({ text }) => normaliseText(text)).values()].flatMap((same): readonly LintFinding[] => {
    const owners = [...new Set(same.map(({ workflowId }) => workflowId))];
    if (owners.length < 2) return [];
    const text = JSON.stringify(same[0]?.text);
    return [finding("repeated_example", owners, `${text} is an example of ${owners.join(" and of ")}`)];
  });
}

function sameDescriptions(workflows: readonly Workflow[]): readonly LintFinding[] {
  const bare = workflows.filter(({ examples }) => examples.length === 0);
  return [...groupBy(bare, ({ description }) => normaliseText(description)).values()]
    .filter(({ length }) => length > 1)
    .map((group) => {
      const ids = group.map(({ workflow_id: id }) => id);
      return finding("same_description", ids, `${ids.join(" and ")} have the same description and no example`);
    });
}

/** Words that a drafted description adds to the name. */
const emptyWords = new Set(["requests", "about", "workflow", "for", "this", "the", "a", "an"]);

function isDrafted({ workflow_id: workflowId, name, description }: Workflow): boolean {
  const named = new Set([...normaliseText(name).split(" "), ...workflowId.split(/[._-]/)]);
  return normaliseText(description)
    .split(" ")
    .every((word) => named.has(word) || emptyWords.has(word));
}
