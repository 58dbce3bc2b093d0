import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import { SluiceError } from "../../src/base/error.js";

const require = createRequire(import.meta.url);
let loaded: typeof Database | undefined;

/**
 * Loads the SQLite binding when a history is first opened. It is an optional package, because a server does not need
 * it.
 * @throws {SluiceError} PACKAGE_MISSING if it is not installed, or was built for a different version of Node
 */
export function sqlite(): typeof Database {
  loaded ??= load();
  return loaded;
}

function load(): typeof Database {
  try {
    const binding = require("better-sqlite3") as typeof Database;
    // The native library is only loaded when a database is opened.
    new binding(":memory:").close();
    return binding;
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    const found = isAbsent ? "is not installed" : "does not load";
    throw new SluiceError("PACKAGE_MISSING", `the history needs the optional package better-sqlite3, which ${found}`, {
      hint: `Run: ${isAbsent ? "npm install" : "npm rebuild"} better-sqlite3 (it compiles with g++, make and python3 where no binary fits).`,
      cause,
    });
  }
}
