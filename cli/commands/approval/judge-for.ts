import { existsSync } from "node:fs";
import type { ProjectPeople } from "../../../workbench/project/people.js";
import type { DecisionOptions } from "../../../workbench/release/approve-bundle.js";
import type { CommandContext } from "../../context.js";
import { projectHere } from "../../project-here.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import { projectEnvironment } from "../../../workbench/release/draft-trust.js";
import { projectJudge } from "../../../workbench/release/project-release.js";

interface JudgeArguments {
  readonly approver: string;
  readonly trust: string | undefined;
  readonly revocations: string | undefined;
  readonly environment: string;
}

/** By what a decision is judged, and whose release it is. */
export interface Judged {
  /** Reads the policy again, because a key may have been created meanwhile. */
  readonly judge: () => Promise<DecisionOptions["judge"]>;
  /** People of the project whose release this is; null where somebody named a policy or an environment. */
  readonly people: ProjectPeople | null;
  /** Whether a key of this approver may be created: the project names the person and has no trust policy yet. */
  readonly createKey: boolean;
}

/** The named trust policy, that of the workspace, or the one that the people of the project would have. */
export async function judgeFor(context: CommandContext, args: JudgeArguments): Promise<Judged> {
  const project = args.trust === undefined && args.environment === projectEnvironment ? await projectHere() : null;
  const people = project?.people ?? null;
  if (people !== null && !existsSync(context.workspace.trust)) {
    const createKey = people.approvers.includes(args.approver);
    return { judge: () => projectJudge(context, people), people, createKey };
  }
  const trustPolicyBytes = await readTrust(context, args.trust);
  const revocationBytes = await readRevocations(context, args);
  return { judge: async () => ({ trustPolicyBytes, revocationBytes }), people, createKey: false };
}
