import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importsOf } from "../support/import-graph.js";
import { packageRoot } from "../support/package-root.js";
import { filesBelow } from "./files.js";
import { layerOf, layers, productFolders } from "./layers.js";
import { picture, type RoomImport, withoutShortcuts } from "./picture.js";

/** docs/architecture.svg is what the imports of the code say; UPDATE_GOLDEN=1 draws it again. */
const test = suite("architecture/picture");

const floors = layers.floors
  .map((floor) => floor.filter((layer) => productFolders.some((folder) => `${layer}/`.startsWith(`${folder}/`))))
  .filter((floor) => floor.length > 0);

/** Each pair of rooms with an import between them, once. */
function roomImports(): readonly RoomImport[] {
  const pairs = productFolders
    .flatMap(filesBelow)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => importsOf(file).map((target) => `${layerOf(file)} ${layerOf(target)}`));
  return [...new Set(pairs)]
    .sort()
    .map((pair) => pair.split(" "))
    .map(([from = "", to = ""]) => ({ from, to }))
    .filter(({ from, to }) => from !== to);
}

test("an import that a chain explains is no arrow", () => {
  const [down, over, through] = [
    { from: "a", to: "b" },
    { from: "a", to: "c" },
    { from: "b", to: "c" },
  ] as const;
  assert.equal(withoutShortcuts([down, over, through]), [down, through]);
});

test("docs/architecture.svg shows the rooms and the imports that the code has", () => {
  const imports = roomImports();
  assert.ok(imports.length > 50, `only ${imports.length} imports between rooms were seen`);
  const path = join(packageRoot, "docs/architecture.svg");
  const drawn = picture(floors, imports);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, drawn);
  assert.is(readFileSync(path, "utf8"), drawn, "UPDATE_GOLDEN=1 npm test -- architecture/picture");
});

test.run();
