/**
 * Example of the whole job as a program: from a CSV of labelled requests to an approved, exported bundle.
 */
import { join } from "node:path";
import * as sluice from "sluice/workbench";

/**
 * @param passphraseOf  `async (person) => passphrase` of the key of that person
 * @param target        largest share of wrong routes; below 0.1 it takes hundreds of requests to show
 */
export async function releaseFromCsv({ csv, folder, producer, approvers, passphraseOf, target = 0.1, ...options }) {
  const workbench = await sluice.openWorkbench({ folder: join(folder, "workspace"), actor: producer, ...options });

  // A catalog to edit and the requests that measure it.
  await sluice.createProject(workbench, { into: folder, source: csv });
  await sluice.importDataset(workbench, {
    file: join(folder, "requests.jsonl"),
    format: "jsonl",
    catalog: { kind: "file", path: join(folder, "catalog.yaml") },
  });
  await sluice.splitDataset(workbench, { by: "left-out" });
  await sluice.auditDataset(workbench, { accept: "the source repeats short texts" });

  // Every request is scored once, then the thresholds are fitted that the claim holds at.
  const models = { retriever: sluice.shippedModel("retriever"), verifier: sluice.shippedModel("verifier") };
  await sluice.runEvaluation(workbench, models);
  const claim = { claim: "fixed-catalog", target };
  const { document, evaluation } = await sluice.calibrateRun(workbench, claim);
  await sluice.writeReport(workbench);

  // In production each person holds one key, on their own machine.
  const signerOf = async (name) => sluice.openPrivateKey(join(folder, `${name}.pem`), await passphraseOf(name));
  const people = [producer, ...approvers];
  for (const name of people) await sluice.createKeyFile(join(folder, `${name}.pem`), await passphraseOf(name));
  const principal = people.map((name) => ({ name, publicKey: join(folder, `${name}.pub.pem`) }));
  await sluice.createTrustPolicy(workbench, {
    principal,
    producer: [producer],
    approver: approvers,
    expires: 365 * 86_400,
  });
  await sluice.signManifest(workbench, { producer, signer: () => signerOf(producer) });
  for (const approver of approvers) {
    await sluice.approveRelease(workbench, { approver, signer: () => signerOf(approver), reason: "read the report" });
  }
  const { directory, bundle_id } = await sluice.exportRelease(workbench);
  return {
    directory,
    bundle_id,
    claims: document.claims.map(({ promise }) => promise),
    coverage: evaluation.coverage,
  };
}
