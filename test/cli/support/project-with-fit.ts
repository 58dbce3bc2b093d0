import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../support/package-root.js";
import { madeOnce } from "./made-once.js";
import { succeed } from "./small-workspace.js";

/** Rows of each intent: too few for every text to be tested, so that the models make errors on the others. */
const rowsOfIntent = 9;

/** The project "shop" of a part of the shipped example, scored with a FIT fold, whose labels no claim tests. */
export async function projectWithFit(cwd: string): Promise<void> {
  await cp(await madeOnce("with-fit", makeProject), cwd, { recursive: true });
}

async function makeProject(cwd: string): Promise<void> {
  const [head = "", ...rows] = (await readFile(join(packageRoot, "datasets/example/support-requests.csv"), "utf8"))
    .trim()
    .split("\n");
  const seen = new Map<string, number>();
  const few = rows.filter((row) => {
    const intent = row.slice(row.lastIndexOf(",") + 1).trim();
    seen.set(intent, (seen.get(intent) ?? 0) + 1);
    return intent === "oos" || (seen.get(intent) ?? 0) <= rowsOfIntent;
  });
  await writeFile(join(cwd, "few.csv"), [head, ...few].join("\n"));
  await succeed(cwd, "init", "few.csv", "--into", "shop", "--owner", "support", "--yes");
  await succeed(cwd, "run", "-C", "shop", "--until", "import");
  const at = ["--workspace", "shop/sluice-workspace"];
  await succeed(cwd, "dataset", "split", "--by", "request", "--shares", "0.5,0.2,0.15,0.15", ...at);
  await succeed(cwd, "dataset", "audit", "--accept", "an example", "--actor", "ada", ...at);
  const models = ["--retriever", "models/default/retriever", "--verifier", "models/default/verifier"];
  await succeed(
    cwd,
    "eval",
    "run",
    ...models.map((word) => (word.startsWith("--") ? word : join(packageRoot, word))),
    ...at,
  );
}
