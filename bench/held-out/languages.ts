/** Requests in several languages over a catalog with examples in English, and over one with examples in their language. */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { groupBy } from "../../src/base/group-by.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { catalogFrom } from "./banking.js";
import { atMost, jsonLinesOf, type Protocol } from "./protocol.js";

/** Fewest texts of a workflow: in English, and in another language where its examples are in that. */
const fewest = { english: 12, own: 14 };
/** Fewest workflows of a catalog. */
const fewestWorkflows = 7;

interface Line {
  readonly id: string;
  readonly text: string;
  readonly workflow_id: string;
  readonly split?: "valid" | "test";
}

/** The requests of one language. */
export interface LanguageProtocol {
  readonly language: string;
  readonly english: Protocol;
  /** With examples in the language; null for English, and if too few workflows have enough texts. */
  readonly own: Protocol | null;
}

const labelOf = ({ workflow_id: label }: Line): string => label;

const withTexts = (lines: readonly Line[], count: number): ReadonlySet<string> =>
  new Set([...groupBy(lines, labelOf)].flatMap(([label, own]) => (own.length >= count ? [label] : [])));

/** Requests of one file and its other texts, both in random order. A set without splits gives six requests of each workflow. */
function divide(file: string, seed: number): { readonly asked: readonly Line[]; readonly shown: readonly Line[] } {
  const read = jsonLinesOf<Line>(file).map((line) => ({
    ...line,
    workflow_id: line.workflow_id.replace("_hass_", "_"),
  }));
  const lines = seededRandom(seed).shuffle([...new Map(read.map((line) => [line.text, line])).values()]);
  const [first] = lines;
  const asked =
    first?.split === undefined
      ? atMost(lines, 6, labelOf)
      : atMost(
          lines.filter(({ split }) => split === "test"),
          15,
          labelOf,
        );
  return { asked, shown: lines.filter((line) => line.split !== "test" && !asked.includes(line)) };
}

function protocolOf(name: string, shown: readonly Line[], asked: readonly Line[], seed: number): Protocol {
  const catalog = catalogFrom(shown, name, seed);
  const known = new Set<string>(catalog.workflows.map(({ workflow_id: id }) => id));
  const rows = asked.filter((line) => known.has(labelOf(line)));
  return {
    catalog,
    rows: rows.map(({ id, text, workflow_id: label }) => ({ id, text, workflow_id: label as WorkflowId })),
    removed: new Set(),
  };
}

/**
 * Every language of `DATA/languages/SET`, over the workflows with at least twelve English texts. Names are English.
 * @param set  "xsid" or "home-assistant"
 */
export function languageProtocols(dataFolder: string, set: string, seed: number): readonly LanguageProtocol[] {
  const folder = join(dataFolder, "languages", set);
  const english = divide(join(folder, "en.jsonl"), seed);
  const workflows = withTexts([...english.asked, ...english.shown], fewest.english);
  const shownInEnglish = english.shown.filter((line) => workflows.has(labelOf(line)));
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => {
      const language = basename(file, ".jsonl");
      const { asked, shown } = divide(join(folder, file), seed);
      const enough = withTexts([...asked, ...shown], fewest.own);
      const shownHere = shown.filter((line) => workflows.has(labelOf(line)) && enough.has(labelOf(line)));
      const own = protocolOf(language, shownHere, asked, seed);
      return {
        language,
        english: protocolOf("en", shownInEnglish, asked, seed),
        own: language === "en" || own.catalog.workflows.length < fewestWorkflows ? null : own,
      };
    });
}
