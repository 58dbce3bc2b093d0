/** Parses the catalog of a bundle off the event loop, because a large one takes seconds. */
import { answerTask } from "../../trust/thread.js";
import { parseCatalog } from "../catalog/load.js";
import { writeCatalogLines } from "../catalog-lines.js";
import type { CatalogTask } from "./parse-in-thread.js";

await answerTask<CatalogTask>(async ({ bytes, name }) => ({
  value: await writeCatalogLines(parseCatalog(bytes, name), () => Promise.resolve()),
}));
