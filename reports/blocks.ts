import type { TopLevelSpec } from "vega-lite";
import type { ExplorerView } from "./explorer/explorer-view.js";

/**
 * NOT SHOWN: the evidence is too small to decide. abstains: nothing is routed. no claim: a tier that only the overall
 * claim covers.
 */
export type Verdict = "pass" | "fail" | "NOT SHOWN" | "abstains" | "no claim";

export interface Judgement {
  readonly verdict: Verdict;
  /** One or two sentences: the basis of the verdict and, if it is NOT SHOWN, what would be enough. */
  readonly reason: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Column {
  readonly label: string;
  readonly numeric: boolean;
}

export interface ReportTable {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface RateLine {
  readonly label: string;
  readonly direction: "higher is better" | "lower is better";
  /** `16/2,617 = 0.61% [0.34%, 1.00%]`, or `0/0: no data`. */
  readonly text: string;
  /** Number of workflows, and confidence level and method of the interval; empty without data. */
  readonly basis: string;
  readonly meaning: string;
}

/** One chart: its data as numbers for drawing and as a table for reading. */
export interface ChartView<Data> {
  readonly title: string;
  /** What the numbers are; shown with the chart and with its table. */
  readonly caption: string;
  /** How to read the drawing; shown only where there is one. */
  readonly legend?: string;
  readonly alt: string;
  /** null: there is nothing to draw, which the page states. */
  readonly data: Data | null;
  readonly table: ReportTable;
}

/** Colour, border and symbol of a badge. */
export type Tone = "pass" | "fail" | "unsure" | "abstain" | "neutral";

export interface Badge {
  readonly word: string;
  readonly tone: Tone;
}

/** A text, or its parts in order if some of them stand out. */
export type Inline = string | readonly Span[];
export type Span =
  | string
  | { readonly strong: string }
  | { readonly code: string }
  | { readonly muted: string }
  | { readonly badge: Badge };

/** A chart with its id on the page, which is also a file name, and its vega-lite spec, which is null without data. */
export interface PageChart {
  readonly id: string;
  readonly view: ChartView<unknown>;
  readonly spec: TopLevelSpec | null;
}

/** One part of a page. `look` and `id` set the HTML style; Markdown has no counterpart. */
export type Block =
  | { readonly kind: "text"; readonly text: Inline; readonly muted: boolean }
  /** Explains how HTML shows the blocks next to it, for example the marks of a chart. */
  | { readonly kind: "legend"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Inline[]; readonly look: "" | "promises" }
  | { readonly kind: "facts"; readonly facts: readonly Fact[]; readonly look: FactsLook }
  | { readonly kind: "rates"; readonly rates: readonly RateLine[] }
  | { readonly kind: "table"; readonly table: ReportTable; readonly folded: boolean }
  /** `withTable`: whether the numbers are below the chart; otherwise a table block of the page has them. */
  | { readonly kind: "chart"; readonly chart: PageChart; readonly withTable: boolean }
  | {
      readonly kind: "card";
      readonly id: string;
      readonly title: string;
      readonly badge: Badge;
      readonly blocks: Blocks;
    }
  | { readonly kind: "fold"; readonly summary: Inline; readonly blocks: Blocks }
  | { readonly kind: "box"; readonly look: BoxLook; readonly blocks: Blocks }
  | { readonly kind: "explorer"; readonly view: ExplorerView };

export type Container = Extract<Block, { readonly blocks: Blocks }>;

/** Blocks in reading order; null entries are omitted. */
export type Blocks = readonly (Block | null)[];

type FactsLook = "headline" | "facts" | "pairs" | "rows" | "question";
type BoxLook = "" | "charts" | "side-by-side" | "tiers" | "status";

export interface Section {
  /** Unique on the page, a valid HTML id. */
  readonly id: string;
  readonly title: string;
  /** Whether the section opens on demand. */
  readonly closed: boolean;
  readonly blocks: Blocks;
}

/** A link to a page of the same release in the same folder. */
export interface PageLink {
  readonly label: string;
  /** File name, without a folder. */
  readonly file: string;
}

/** A page as its parts in reading order, which `renderHtml` and `renderMarkdown` lay out. */
export interface PageBlocks {
  readonly title: string;
  /** Title of the browser window. Default: the title. */
  readonly windowTitle?: string;
  readonly subtitle: string;
  readonly verdict: Badge & { readonly sentence: string; readonly detail: string };
  /** Few numbers that are shown large, above everything else. */
  readonly headline?: readonly Fact[];
  readonly facts?: readonly Fact[];
  /** Limitations that a reader must know before trusting the numbers. */
  readonly warnings?: readonly string[];
  readonly links?: readonly PageLink[];
  /** Whether the HTML page begins with links to its sections. */
  readonly contents?: boolean;
  readonly sections: readonly (Section | null)[];
  /** CSS rules in addition to the common ones. */
  readonly style?: string;
  /** An HTML comment at the end, which Markdown also hides. */
  readonly comment?: string;
}

const verdictTones: Readonly<Record<Verdict, Tone>> = {
  pass: "pass",
  fail: "fail",
  "NOT SHOWN": "unsure",
  abstains: "abstain",
  "no claim": "neutral",
};

export const isVerdict = (text: string): text is Verdict => Object.hasOwn(verdictTones, text);

export const badgeOf = (verdict: Verdict): Badge => ({ word: verdict, tone: verdictTones[verdict] });

export const section = (id: string, title: string, blocks: Blocks): Section => ({ id, title, closed: false, blocks });
export const closedSection = (id: string, title: string, blocks: Blocks): Section => ({
  ...section(id, title, blocks),
  closed: true,
});

export const text = (words: Inline): Block => ({ kind: "text", text: words, muted: false });
export const muted = (words: Inline): Block => ({ kind: "text", text: words, muted: true });
export const legend = (words: string): Block => ({ kind: "legend", text: words });
export const heading = (words: string): Block => ({ kind: "heading", text: words });
export const list = (items: readonly Inline[], look: "" | "promises" = ""): Block => ({ kind: "list", items, look });
export const facts = (of: readonly Fact[], look: FactsLook): Block => ({ kind: "facts", facts: of, look });
export const rates = (of: readonly RateLine[]): Block => ({ kind: "rates", rates: of });
export const table = (of: ReportTable): Block => ({ kind: "table", table: of, folded: false });
/** A table that HTML shows on demand; null without rows. */
export const foldedTable = (of: ReportTable): Block | null =>
  of.rows.length === 0 ? null : { kind: "table", table: of, folded: true };
export const fold = (summary: Inline, blocks: Blocks): Block => ({ kind: "fold", summary, blocks });
export const card = (id: string, title: string, verdict: Verdict, blocks: Blocks): Block => {
  return { kind: "card", id, title, badge: badgeOf(verdict), blocks };
};
export const box = (look: BoxLook, blocks: Blocks): Block => ({ kind: "box", look, blocks });

export const factList = (pairs: readonly (readonly [label: string, value: string])[]): readonly Fact[] =>
  pairs.map(([label, value]) => ({ label, value }));

export const num = (label: string): Column => ({ label, numeric: true });

/** A table. @param columns  a label, or `num(label)` for a column of numbers */
export function reportTable(
  caption: string,
  columns: readonly (string | Column)[],
  rows: ReportTable["rows"],
): ReportTable {
  const column = (each: string | Column): Column => (typeof each === "string" ? { label: each, numeric: false } : each);
  return { caption, columns: columns.map(column), rows };
}

/** The chart of a view. @param id  unique on the page, a valid HTML id and file name */
export function chart<Data>(
  id: string,
  view: ChartView<Data>,
  toSpec: (data: Data) => TopLevelSpec,
  { withTable = true } = {},
): Block {
  return { kind: "chart", chart: { id, view, spec: view.data === null ? null : toSpec(view.data) }, withTable };
}

const within = (blocks: Blocks): readonly Block[] =>
  blocks.flatMap((block) => {
    if (block === null) return [];
    return "blocks" in block ? [block, ...within(block.blocks)] : [block];
  });

/** Every block of a page in reading order, those inside others included. */
export const allBlocks = ({ sections }: PageBlocks): readonly Block[] =>
  within(sections.flatMap((each) => each?.blocks ?? []));

/** Every chart of a page in reading order. */
export const chartsOf = (page: PageBlocks): readonly PageChart[] =>
  allBlocks(page).flatMap((block) => (block.kind === "chart" ? [block.chart] : []));
