/**
 * TypeBox as a single module, bundled by `scripts/compile.mjs`: its 537 files take a quarter of a second to load in
 * every process and thread.
 */
export { type Static, type TObjectOptions as ObjectOptions, type TProperties, type TSchema, Type } from "typebox";
export { Compile } from "typebox/schema";
