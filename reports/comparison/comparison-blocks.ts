import { counted, formatCount } from "../../src/documents/number-text.js";
import * as b from "../blocks.js";
import { reportTable, type ReportTable } from "../blocks.js";
import type { ComparisonPage, FlipBucket } from "./comparison-page.js";

/** The page of one comparison: differences, then the decisions that flip and where. */
export function comparisonBlocks(page: ComparisonPage): b.PageBlocks {
  const { title, subtitle, verdict, facts, warnings, links, buckets } = page;
  return {
    title,
    subtitle,
    verdict,
    facts,
    warnings,
    links,
    style,
    sections: [
      b.section("measures", "Differences", [
        b.table(page.measures),
        b.muted(
          "Both sides answered the same requests. A side is better only where the band excludes 0, there are at least 6 " +
            "workflows and groups, and the paired test agrees (p at most 0.05). Measures with different denominators on the " +
            "two sides are not tested.",
        ),
        b.table(page.thresholds),
        b.table(page.promises),
      ]),
      b.section(
        "flips",
        "Decisions that flip",
        buckets.length === 0
          ? [b.text("No request is decided differently.")]
          : [
              b.legend(
                "Each line is one kind of change from A to B, worse ones first. Open a line to see its requests.",
              ),
              ...buckets.map(bucketFold),
            ],
      ),
      b.section("changes", "Where decisions change", [b.table(page.workflows), b.foldedTable(page.slices)]),
      b.section("evidence", "Evidence", [b.table(page.digests)]),
    ],
  };
}

/** Maximum number of flips per bucket that the page lists; the JSON form has all. */
const listedFlips = 100;

const tones: Readonly<Record<FlipBucket["effect"], b.Tone>> = { better: "pass", worse: "fail", neutral: "abstain" };

function bucketFold(bucket: FlipBucket): b.Block {
  const { title, effect, flips } = bucket;
  const badge = { word: effect, tone: tones[effect] };
  return b.fold([{ badge }, " ", { strong: formatCount(flips.length) }, ` ${title}`], [b.table(flipTable(bucket))]);
}

function flipTable({ title, flips }: FlipBucket): ReportTable {
  const more =
    flips.length > listedFlips ? `; the first ${formatCount(listedFlips)} are listed, and the JSON form has all` : "";
  return reportTable(
    `${title}: ${counted(flips.length, "request")}${more}`,
    ["Request", "Right workflow", "A", "B"],
    flips.slice(0, listedFlips).map(({ id, right, a, b: after }) => [id, right, a, after]),
  );
}

const style = `
#flips details { border-top: 1px solid var(--line); margin: 0; padding: 4px 0; }
#flips summary { color: var(--ink); font-size: 1rem; }
#flips td, #flips th { overflow-wrap: anywhere; }
@media screen and (max-width: 640px) { #flips table, #measures > .scroll table { min-width: 620px; } }
`;
