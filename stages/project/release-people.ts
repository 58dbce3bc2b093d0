import { SluiceError } from "../../src/base/error.js";
import { approvalsNeeded, type ProjectPeople, requirePeople } from "../../store/project/people.js";
import { namePeople, readProject } from "../../store/project/project-file.js";

/** People specified by the caller. Default: the people in the project file. */
export interface NamedPeople {
  /** Producer who signs. Default: the producer in the project file, otherwise the actor. */
  readonly producer?: string | undefined;
  /** People who may approve. Default: the approvers in the project file. */
  readonly approvers?: readonly string[] | undefined;
}

/** The project file for looking up people, and whether to save them there. */
export interface PeopleLookup {
  readonly file: string;
  readonly actor: string;
  /** false for a plan, which changes nothing. */
  readonly save: boolean;
}

/**
 * The people of a release: those in the project file, otherwise the specified ones, which are then saved there.
 * @throws {SluiceError} USAGE  nobody is specified; SCHEMA_INVALID  these people could never release, or differ from
 *   those in the file
 */
export async function settlePeople(
  { file, actor, save }: PeopleLookup,
  { producer, approvers = [] }: NamedPeople,
): Promise<ProjectPeople> {
  const { people: known } = await readProject(file);
  if (producer === undefined && approvers.length === 0 && known !== undefined) return known;
  const wanted = wantedPeople(known, { producer, approvers }, actor);
  if (wanted.approvers.length < approvalsNeeded) {
    throw new SluiceError("USAGE", "a release requires two approvers, but the project names none", {
      hint: "Name them once: sluice run --release --producer NAME --approver NAME --approver NAME",
    });
  }
  if (save || known !== undefined) return (await namePeople(file, wanted)).people ?? wanted;
  requirePeople(wanted, file);
  return wanted;
}

function wantedPeople(
  known: ProjectPeople | undefined,
  { producer, approvers = [] }: NamedPeople,
  actor: string,
): ProjectPeople {
  return {
    producer: producer ?? known?.producer ?? actor,
    approvers: approvers.length === 0 ? [...(known?.approvers ?? [])] : [...approvers],
  };
}
