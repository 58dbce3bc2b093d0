import { type Static, Type } from "../../src/base/typebox.js";
import { personKey } from "../../src/trust/person.js";
import { object } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";

const person = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._@-]{0,79}$" });

/** Number of approvers who must sign a project's release. */
export const approvalsNeeded = 2;

/** Who signs a project's releases. */
export const PeopleSchema = object({
  producer: person,
  approvers: Type.Array(person, { minItems: approvalsNeeded, maxItems: 20 }),
});
export type ProjectPeople = Static<typeof PeopleSchema>;

/**
 * Refuses people who could never release: the producer cannot approve, and each approver counts once.
 * @throws {SluiceError} DOCUMENT_INVALID
 */
export function requirePeople({ producer, approvers }: ProjectPeople, what: string): void {
  const hint = `Name ${approvalsNeeded} different approvers who are not the producer.`;
  const keys = approvers.map(personKey);
  if (keys.includes(personKey(producer))) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: the producer "${producer}" is also an approver`, { hint });
  }
  const twice = approvers.find((_, index) => keys.indexOf(keys[index] ?? "") !== index);
  if (twice !== undefined) {
    throw new SluiceError("DOCUMENT_INVALID", `${what}: the approver "${twice}" is listed twice`, { hint });
  }
}

/** Writes the people as lines of the project file. */
export function peopleYaml({ producer, approvers }: ProjectPeople): string {
  return [
    "people:                # who signs a release; each of them has a key and a passphrase",
    `  producer: ${JSON.stringify(producer)}`,
    `  approvers: [${approvers.map((name) => JSON.stringify(name)).join(", ")}]  # ${approvalsNeeded} of them must approve, not the producer`,
    "",
  ].join("\n");
}
