import { existsSync } from "node:fs";
import type { ProjectPeople } from "../../store/project/people.js";
import { readProject } from "../../store/project/project-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import type { StatusQuestion } from "../../release/release-status.js";
import { projectEnvironment } from "../../release/draft-trust.js";
import { projectJudge } from "./release-step.js";
import { type JudgeFiles, readJudge } from "../../release/read-signed.js";

export interface DecisionJudge {
  /** Reads the policy again on each call, because a key may have been created in the meantime. */
  readonly judge: () => Promise<Pick<StatusQuestion, "trustPolicyBytes" | "revocationBytes">>;
  /** People of the project whose release this is; null if a policy or an environment was specified. */
  readonly people: ProjectPeople | null;
  /** Whether the project has no trust policy yet, so that a first signature may create a key. */
  readonly drafted: boolean;
}

/**
 * The specified trust policy, otherwise the workspace's, otherwise the draft for the people of the project.
 * @param project  `sluice.yaml` of the project whose release this is
 * @throws {SluiceError} FILE_NOT_FOUND  there is no trust policy; and the errors of `readProject`
 */
export async function decisionJudge(
  context: Pick<WorkbenchContext, "workspace" | "clock">,
  { project, ...files }: JudgeFiles & { readonly project?: string | undefined },
): Promise<DecisionJudge> {
  const { trust, environment = projectEnvironment } = files;
  const ofProject = project !== undefined && trust === undefined && environment === projectEnvironment;
  const people = ofProject ? ((await readProject(project)).people ?? null) : null;
  if (people !== null && !existsSync(context.workspace.trust)) {
    return { judge: () => projectJudge(context, people), people, drafted: true };
  }
  const judge = await readJudge(context, files);
  return { judge: async () => judge, people, drafted: false };
}
