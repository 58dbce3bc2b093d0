import { SluiceError } from "../../src/base/error.js";
import { approvalsNeeded, type ProjectPeople, requirePeople } from "../../store/project/people.js";
import { namePeople, readProject } from "../../store/project/project-file.js";

/** People named by the caller; missing ones are read from the project file. */
export interface NamedPeople {
  /** Who signs as producer. Default: the producer of the project file, otherwise the actor. */
  readonly producer?: string | undefined;
  /** Who may approve. Default: the approvers of the project file. */
  readonly approvers?: readonly string[] | undefined;
}

/** Where people are looked up, and whether named ones are saved there. */
export interface PeopleLookup {
  readonly file: string;
  readonly actor: string;
  /** false: for a plan, which changes nothing. */
  readonly save: boolean;
}

/**
 * The people of a release: those that the project file names, otherwise the named ones, which are then saved there.
 * @throws {SluiceError} USAGE  nobody is named; SCHEMA_INVALID  they could never release, or the file names others
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
