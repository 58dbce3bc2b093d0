/** What most tests need, in one import. No models, signing code, browser or server: every test file loads this. */
export * as assert from "uvu/assert";
export { near, oracle } from "./oracle.js";
export { packageRoot } from "./package-root.js";
export { test, testWith } from "./registration.js";
export { pluck } from "./pluck.js";
export { rejects, throws } from "./rejects.js";
export { shared, skipTest, testWithShared } from "./shared.js";
export { inTemporaryFolder } from "./temporary-folder.js";
