import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/package-root.js";
import { filesBelow } from "./files.js";

const test = suite("architecture/names");

/** Every folder of the product but the client, which imports nothing and so repeats the names of what it speaks about. */
const folders = ["src", "datasets", "eval", "calibrate", "reports", "serve", "workbench", "cli"];
const declaration = /^export (?:async )?(?:abstract )?(?:function|const|class|interface|type) (\w+)/gm;

test("an exported name has one declaration in the whole product", () => {
  const placesOf = new Map<string, Set<string>>();
  for (const file of folders.flatMap(filesBelow).filter((name) => name.endsWith(".ts"))) {
    for (const [, name = ""] of readFileSync(join(packageRoot, file), "utf8").matchAll(declaration)) {
      placesOf.set(name, (placesOf.get(name) ?? new Set()).add(file));
    }
  }
  assert.ok(placesOf.size > 1000);
  const twice = [...placesOf].filter(([, places]) => places.size > 1);
  assert.equal(
    twice.map(([name, places]) => `${name}: ${[...places].join(", ")}`),
    [],
  );
});

test.run();
