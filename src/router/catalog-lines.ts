import type { Catalog, Workflow } from "../documents/catalog.js";

/** Number of workflows written or read between two pauses, which takes a few milliseconds. */
const workflowsPerBlock = 128;

/**
 * Writes a catalog as UTF-8 into memory that threads share: one line of JSON for the catalog, then one per workflow.
 * Unlike an object, it is sent to a thread without copying, and a large catalog is read in blocks.
 * @param pause  called between blocks
 */
export async function writeCatalogLines(
  { workflows, ...catalog }: Catalog,
  pause: () => Promise<void>,
): Promise<Uint8Array> {
  const blocks = [Buffer.from(JSON.stringify(catalog))];
  for (let from = 0; from < workflows.length; from += workflowsPerBlock) {
    const lines = workflows.slice(from, from + workflowsPerBlock).map((workflow) => `\n${JSON.stringify(workflow)}`);
    blocks.push(Buffer.from(lines.join("")));
    await pause();
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(blocks.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** @param bytes as returned by `writeCatalogLines` */
export async function readCatalogLines(bytes: Uint8Array, pause: () => Promise<void>): Promise<Catalog> {
  const [header = "{}", ...lines] = Buffer.from(bytes).toString("utf8").split("\n");
  const workflows: Workflow[] = [];
  for (const [index, line] of lines.entries()) {
    workflows.push(JSON.parse(line) as Workflow);
    if (index % workflowsPerBlock === workflowsPerBlock - 1) await pause();
  }
  return { ...(JSON.parse(header) as Omit<Catalog, "workflows">), workflows };
}
