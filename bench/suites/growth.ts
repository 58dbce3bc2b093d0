import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";
import type { Bench, Figure } from "../harness/figure.js";
import { inventedCatalog } from "./invented-catalog.js";
import { processorMicros, type ScoringThread, scoringThread } from "./scoring-thread.js";

const sizes = [10, 100, 1000] as const;
const candidates = [1, 2, 4, 8, 16, 32, 64] as const;
const lengths = [10, 30, 100, 300, 1000, 3000, 8000] as const;
const together = 8;
const usualTopK = 8;
const requests = 48;
const unit = "µs of processor time";

/** Growth of the cost of a request. */
export const growth: Bench = {
  name: "growth",
  about: `How the processor time of a request in its scoring thread grows; default models, ${together} requests side by side. Catalogs of other sizes than the service desk are invented: ten examples of nine words for each workflow.`,
  open: async () => {
    const catalog = await serviceDeskCatalog();
    const desk = await scoringThread(catalog);
    const opened: ScoringThread[] = [desk];
    const texts = serviceDeskRequests().map(({ text }) => text);
    const some = texts.filter((_, index) => index % 103 === 0).slice(0, requests);
    const bySize: Figure[] = [];
    for (const size of sizes) {
      const invented = await inventedCatalog(size, requests);
      const thread = await scoringThread(invented.catalog);
      opened.push(thread);
      const round = (): Promise<number> => thread.score({ texts: invented.texts, together, topK: usualTopK });
      bySize.push(point("workflows", size, "Cost over the size of the catalog", round));
    }
    return {
      figures: [
        ...bySize,
        ...candidates.map((topK) =>
          point("candidates", topK, "Cost over the number of candidates (top_k)", () =>
            desk.score({ texts: some, together, topK }),
          ),
        ),
        ...lengths.map((length) => {
          const long = ofLength(texts, length);
          const round = (): Promise<number> => desk.score({ texts: long, together, topK: usualTopK });
          return point("characters", length, "Cost over the length of the text", round);
        }),
      ],
      close: async () => {
        for (const thread of opened) await thread.close();
      },
    };
  },
};

function point(of: string, at: number, title: string, round: () => Promise<number>): Figure {
  return { id: `growth/${of}/${at}`, title, unit, better: "lower", round, references: [], point: { of, at } };
}

/** Texts of a given length in characters, made from requests of the service desk. */
function ofLength(texts: readonly string[], length: number): readonly string[] {
  return Array.from({ length: length > 1000 ? 8 : requests }, (_, index) => {
    let text = texts[(index * 37) % texts.length] ?? "";
    for (let next = index * 37 + 1; text.length < length; next += 1) text += ` ${texts[next % texts.length] ?? ""}`;
    return text.slice(0, length);
  });
}

const buildSizes = [10, 100, 1000] as const;

/** Growth of the cost of building an index. */
export const indexBuild: Bench = {
  name: "index",
  about:
    "How the processor time of building the index of a catalog grows: default models, invented catalogs with ten examples of nine words for each workflow.",
  open: async () => {
    const figures: Figure[] = [];
    for (const size of buildSizes) {
      const { catalog } = await inventedCatalog(size, 1);
      figures.push({
        id: `index/build/${size}`,
        title: "Building an index",
        unit: "ms of processor time",
        better: "lower",
        round: async () => {
          const before = processorMicros();
          const thread = await scoringThread(catalog);
          const taken = (processorMicros() - before) / 1000;
          await thread.close();
          return taken;
        },
        references: [],
        point: { of: "workflows", at: size },
      });
    }
    return { figures, close: async () => undefined };
  },
};
