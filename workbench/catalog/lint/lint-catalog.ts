import { describedRetriever } from "../../../src/retrieval/parse-retriever.js";
import { readDirectory } from "../../../src/artifacts/directory-hash.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { MemoryEmbeddingCache } from "../../../src/retrieval/embedding-cache.js";
import { openRetriever } from "../../../src/retrieval/load-retriever.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import { readModel } from "../../records/read-records.js";
import type { Reference } from "../../records/reference.js";
import { withHistory } from "../../records/with-history.js";
import { shippedFolder } from "../../shipped-models.js";
import type { WorkbenchContext } from "../../workbench-context.js";
import { type LintFinding, severities } from "./finding.js";
import { exampleGain, type GainStep, rankExamples, textsToRank } from "./measure-examples.js";
import { measuredFindings } from "./measured-findings.js";
import { staticFindings } from "./static-findings.js";

export interface LintOptions {
  /** A retriever of the history, or a model folder; undefined: the shipped one. */
  readonly retriever?: Reference;
  /** Whether examples are ranked; without it only the rules are checked. */
  readonly measure: boolean;
}

/** How a retriever ranks the hidden examples of a catalog. */
export interface LintMeasure {
  /** Examples that were hidden and ranked. */
  readonly examples: number;
  /** Those whose workflow was ranked first. */
  readonly first: number;
  /** Accuracy gained by examples in this catalog; empty when it has too few. */
  readonly gain: readonly GainStep[];
}

export interface CatalogLint {
  /** Errors first, then warnings, then notes. */
  readonly findings: readonly LintFinding[];
  /** null when nothing was measured. */
  readonly measured: LintMeasure | null;
}

/**
 * Examines a catalog: rules that need no model, and how a retriever ranks each example when the catalog does not hold it.
 * @throws {SluiceError} INTERRUPTED, and those of loading a model
 */
export async function lintCatalog(
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
    context.progress.start("ranking hidden examples", textsToRank(active));
    let done = 0;
    const vectors = new MemoryEmbeddingCache();
    const work = {
      retriever: await openRetriever(describedRetriever(files), pool),
      cache: async () => vectors,
      signal: context.signal,
      onRanked: (): void => context.progress.update((done += 1)),
    };
    const ranked = await rankExamples(active, work);
    const gain = await exampleGain(active, work);
    context.progress.done();
    const first = ranked.filter(({ place }) => place === 1).length;
    return {
      findings: bySeverity([...fixed, ...measuredFindings(ranked)]),
      measured: { examples: ranked.length, first, gain },
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
