/** Loads the shipped checkpoints models/default and models/fast. */
import { join } from "node:path";
import type { ModelSources } from "../../src/router/load-models.js";
import { packageRoot } from "../../test/support/package-root.js";
import { checkpointAt } from "../held-out/checkpoint.js";

const sourcesAt = async (folder: string): Promise<ModelSources> =>
  (await checkpointAt(join(packageRoot, folder), folder)).sources;

/** Both models of the default checkpoint. */
export const defaultModels = (): Promise<ModelSources> => sourcesAt("models/default");

/** Both models of the fast checkpoint. */
export const fastModels = (): Promise<ModelSources> => sourcesAt("models/fast");
