import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "../../../store/history/sqlite.js";
import { assert, inTemporaryFolder, packageRoot, test } from "../../support/test.js";

const program = `
import { sqlite } from "./store/history/sqlite.js";
try { sqlite(); } catch (error) { console.log(JSON.stringify([error.code, error.message, error.hint])); }
`;

/** What opening a history meets in a folder where only `stub` stands for better-sqlite3. */
function openedWith(folder: string, stub: string | null): readonly string[] {
  for (const path of ["src/base", "store/history/sqlite.js"]) {
    cpSync(join(packageRoot, "dist", path), join(folder, path), { recursive: true });
  }
  if (stub !== null) {
    const home = join(folder, "node_modules", "better-sqlite3");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), '{ "main": "index.js" }');
    writeFileSync(join(home, "index.js"), stub);
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "open.js"), program);
  const { stdout } = spawnSync(process.execPath, ["open.js"], { cwd: folder, encoding: "utf8" });
  return JSON.parse(stdout) as readonly string[];
}

test("the binding is loaded once", () => {
  assert.is(sqlite(), sqlite());
});

test("without the optional package a history names the command that installs it", () =>
  inTemporaryFolder((folder) => {
    const [code, message, hint] = openedWith(folder, null);
    assert.is(code, "PACKAGE_MISSING");
    assert.match(message ?? "", /better-sqlite3, which is not installed$/);
    assert.match(hint ?? "", /^Run: npm install better-sqlite3 /);
  }));

test("a binding that was never compiled names the command that builds it", () =>
  inTemporaryFolder((folder) => {
    const stub = 'module.exports = class { constructor() { throw new Error("no bindings file"); } };';
    const [code, message, hint] = openedWith(folder, stub);
    assert.is(code, "PACKAGE_MISSING");
    assert.match(message ?? "", /does not load$/);
    assert.match(hint ?? "", /^Run: npm rebuild better-sqlite3 /);
  }));
