import { existsSync } from "node:fs";
import { type ProjectFile, projectFileName, readProject } from "../workbench/project/project-file.js";

/** The project of the current folder; null where there is none. @throws {SluiceError} those of `readProject` */
export async function projectHere(): Promise<ProjectFile | null> {
  if (!existsSync(projectFileName)) return null;
  return readProject(projectFileName);
}
