/**
 * Example of a project as a program: what `sluice init`, `sluice run --release` and two times `sluice approve` do.
 */
import { join } from "node:path";
import * as sluice from "sluice/workbench";

/**
 * @param source        file or folder in any form that `sluice init` recognises
 * @param passphraseOf  `async (person) => passphrase`; a person's first signature creates the key
 * @param accept        why findings of the audit may stay; without it they stop the release
 */
export async function releaseProject({ source, folder, producer, approvers, passphraseOf, accept }) {
  const workbench = await sluice.openWorkbench({ folder: join(folder, "sluice-workspace"), actor: producer });
  const file = join(folder, "sluice.yaml");
  const signerOf = (person) => async () =>
    sluice.openPersonKey(workbench, { person, passphrase: await passphraseOf(person) });

  await sluice.createProject(workbench, { into: folder, source });
  const release = { release: true, producer, approver: approvers, signer: signerOf(producer), accept };
  const { claims } = await sluice.runProject(workbench, { file, ...release });

  // Each approver reads the report first. The last key puts the trust policy in force, the last approval exports.
  for (const approver of approvers) {
    await sluice.approveRelease(workbench, { project: file, approver, signer: signerOf(approver) });
  }
  const { release: stage } = await sluice.projectStatus(workbench, { file });
  return { claims, ...stage.serving };
}
