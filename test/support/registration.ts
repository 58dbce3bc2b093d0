import { suite, type uvu } from "uvu";

/** Registers the tests and hooks of one suite. Hooks and tests share one context of type T. */
export interface Test<T> {
  (name: string, body: uvu.Callback<T>): void;
  only(name: string, body: uvu.Callback<T>): void;
  skip(name?: string, body?: uvu.Callback<T>): void;
  before: uvu.Hook<T>;
  after: uvu.Hook<T>;
}

/** The test file that the runner is importing. */
interface OpenFile {
  /** Path below test/, without extension. */
  readonly name: string;
  /** Adds one suite each to the queue of uvu, in the order of their creation. */
  readonly runs: (() => void)[];
  /** The suite of `test`, created by the first test or hook. */
  own?: uvu.Test<object>;
}

let open: OpenFile | undefined;

/** A test that is registered at another time would never run. */
function openFile(): OpenFile {
  if (open !== undefined) return open;
  throw new Error("tests are registered while the runner imports their file: node dist/test/support/run.js PATH");
}

function addSuite<T>(file: OpenFile, title?: string): uvu.Test<T> {
  const added = suite<T>(title === undefined ? file.name : `${file.name} ${title}`);
  file.runs.push(() => added.run());
  return added;
}

/** `suiteOf` returns the suite to register in, or throws when it is too late. */
function registrar<T>(suiteOf: () => uvu.Test<T>): Test<T> {
  const hook = (when: "before" | "after"): uvu.Hook<T> =>
    Object.assign((body: uvu.Callback<T>) => suiteOf()[when](body), {
      each: (body: uvu.Callback<T>) => suiteOf()[when].each(body),
    });
  return Object.assign((name: string, body: uvu.Callback<T>) => suiteOf()(name, body), {
    only: (name: string, body: uvu.Callback<T>) => suiteOf().only(name, body),
    skip: () => suiteOf().skip(),
    before: hook("before"),
    after: hook("after"),
  });
}

/** Registers a test of the file that imports it; the suite has the name of the file. */
export const test: Test<object> = registrar(() => {
  const file = openFile();
  file.own ??= addSuite(file);
  return file.own;
});

/**
 * A further suite of the file, with hooks and a context of its own. Its name is the file's, and `title` when given.
 *
 * @example const test = testWith<{ folder: string }>();
 */
export function testWith<T = object>(title?: string): Test<T> {
  const file = openFile();
  const added = addSuite<T>(file, title);
  return registrar(() => {
    if (openFile() !== file) throw new Error(`the tests of ${file.name} are registered already`);
    return added;
  });
}

/** Imports a test file and adds the suites that it registered to the queue of uvu. `load` imports it. */
export async function register(name: string, load: () => Promise<unknown>): Promise<void> {
  const file: OpenFile = { name, runs: [] };
  open = file;
  try {
    await load();
  } finally {
    open = undefined;
  }
  for (const run of file.runs) run();
}
