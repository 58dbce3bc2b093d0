import { join } from "node:path";
import { neededOf, shortId, statedReason } from "../src/base/text.js";
import type { ProjectRelease } from "../stages/project/release-step.js";
import type { CommandContext } from "./context.js";
import type { Invocation } from "../src/base/invocation.js";
import { fields } from "./table.js";

type Place = Pick<CommandContext, "here" | "next" | "workspace">;

const shownPort = 8080;

type Field = readonly [name: string, value: string];

export function releaseLines(place: Place, release: ProjectRelease): readonly string[] {
  return fields(releaseFields(place, release));
}

/** The progress of the release as names and values. */
export function releaseFields({ here, workspace }: Place, release: ProjectRelease): readonly Field[] {
  const { status, people, trust, directory } = release;
  const { missing, can_sign: canSign, rejected, unchecked } = status;
  const { missing: underived } = status.reproductions;
  const keys = people.map(
    ({ person, keyId }): Field => [`key of ${person}`, keyId ?? "none yet; created when this person approves"],
  );
  const written = `${here(workspace.trust)}: the trust policy. Confirm the keys with their owners before you give it to a server`;
  return [
    ["bundle", `${shortId(release.bundle_id)}, signed by its producer ${release.producer}`],
    ...release.weaker_promises.map((promise): Field => ["weaker", `promise than in production: ${promise}`]),
    ["approved", approvedText(status)],
    ...rejected.map(({ person, reason }): Field => ["rejected", `by ${person}: ${statedReason(reason)}`]),
    ...unchecked.map(
      (person): Field => ["unchecked", uncheckedLine(person, here(join(workspace.keys, `${person}.pub.pem`)))],
    ),
    ...(missing === 0 || rejected.length > 0 ? [] : [["to sign", neededOf(canSign, missing)] as const]),
    ...(underived === 0 ? [] : [["to sign", `${underived} with --reproduce, of ${canSign.join(", ")}`] as const]),
    ...(status.approved || missing > 0 ? [] : status.problems.map((problem): Field => ["refused", problem])),
    ...revokedField(status),
    ...keys,
    ...(trust === "written" ? [["trust", written] as const] : []),
    ...(directory === null ? [] : [["folder", `${here(directory)}: approved, ready to serve`] as const]),
    ...(status.approved && directory === null ? [["folder", waiting({ here, workspace }, release)] as const] : []),
  ];
}

/** Who approved, and how many approvals there are or must be. */
function approvedText(status: ProjectRelease["status"]): string {
  const required = status.required ?? 0;
  if (status.signed.length > 0) return `${approvedBy(status)} (${status.signed.length} of ${required})`;
  return `${approvedBy(status)}; ${required} ${required === 1 ? "approval is" : "approvals are"} needed`;
}

/** What a producer can do after a revocation. */
const revokedField = ({ revoked }: ProjectRelease["status"]): readonly Field[] =>
  revoked === null
    ? []
    : [["to do", "change the catalog or the requests, and run again: a revoked bundle is never approved again"]];

function approvedBy({ signed, unchecked }: ProjectRelease["status"]): string {
  if (signed.length > 0) return `by ${signed.map(({ person }) => person).join(" and ")}`;
  return unchecked.length === 0 ? "by nobody yet" : "unknown";
}

const uncheckedLine = (person: string, key: string): string =>
  `a decision by ${person}, because ${key} is missing: copy it, or trust.json, from the folder of ${person}`;

function waiting({ here, workspace }: Pick<Place, "here" | "workspace">, { occupied, people }: ProjectRelease): string {
  const missing = people.filter(({ keyId }) => keyId === null).map(({ person }) => person);
  if (!occupied && missing.length === 0) return "not exported yet";
  if (!occupied) return `waits for the key of ${missing.join(", ")}, whom the trust policy names`;
  return `${here(workspace.bundle)} contains another bundle and was not replaced, because a server may be using it`;
}

/**
 * The next commands: to read the page and for the missing approvals, otherwise for starting the server and sending a first request.
 * @param named  the bundle that the caller named, which need not be the latest
 */
export function releaseNext(
  { here, next, workspace }: Place,
  release: ProjectRelease,
  named?: string,
): readonly Invocation[] {
  const { status, directory, occupied, people } = release;
  // A rejection requires a new bundle, although the person who rejected can still approve this one later.
  if (status.rejected.length > 0) return [next("eval", "errors"), next("run")];
  if (!status.approved) {
    const derive = status.reproductions.missing > 0 ? ["--reproduce"] : [];
    const open = status.can_sign.filter((person) => !status.unchecked.includes(person));
    if (open.length === 0 && status.unchecked.length > 0) return [next("status")];
    const which = named === undefined ? [] : ["--bundle", shortId(release.bundle_id)];
    const seen = status.signed.length + status.unchecked.length > 0;
    const read = seen ? [] : [next("report", "release", ...which.slice(1))];
    const sign = open.slice(0, 2).map((person) => next("approve", ...which, "--approver", person, ...derive));
    // A revoked bundle cannot be approved: find the cause, fix it and release again.
    return sign.length > 0 ? [...read, ...sign] : [next("eval", "errors"), next("run")];
  }
  if (directory !== null) return [serveNext(here(directory), here(workspace.trust)), askNext(next)];
  if (occupied) return [next("bundle", "export", "--bundle", shortId(release.bundle_id), "--replace")];
  const missing = people.filter(({ keyId }) => keyId === null);
  if (missing.length === 0) return [next("run", "--release")];
  return missing.slice(0, 3).map(({ person }) => next("key", "create", person));
}

const serveNext = (bundle: string, trust: string): Invocation => ({
  command: "sluice-serve",
  args: ["--bundle", bundle, "--trust", trust, "--authorizer", "local", "--port", String(shownPort)],
});

const askNext = (next: Place["next"]): Invocation =>
  next("route", "--server", `http://127.0.0.1:${shownPort}`, "--text", "TEXT");
