/**
 * TypeBox as one module. The build bundles it (`scripts/compile.mjs`): its 537 files take a quarter of a second to load,
 * in every process and in every thread.
 */
export { type Static, type TSchema, Type } from "typebox";
export { Compile } from "typebox/schema";
