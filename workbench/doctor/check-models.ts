import { join } from "node:path";
import { checkOpens } from "./check.js";
import { isThere, type WorkspaceCheck } from "./workspace-check.js";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { parseModel } from "../models/parse-model.js";

/** Reads the description of each model folder of the workspace. */
export const checkModels: WorkspaceCheck = async (workspace) => {
  const folders = ["retriever", "verifier"].map((role) => join(workspace.models, role));
  const there = await Promise.all(folders.map(isThere));
  return Promise.all(
    folders
      .filter((_, index) => there[index])
      .map((folder) =>
        checkOpens("model", "Fit it again: sluice model fit-lexical", async () => {
          const { role, version } = parseModel((await readDirectory(folder)).files);
          return `${folder}: ${role} ${version}`;
        }),
      ),
  );
};
