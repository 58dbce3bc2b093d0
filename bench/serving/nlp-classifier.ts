import { createRequire } from "node:module";
import { serviceDeskRequests } from "../../test/support/service-desk.js";

interface NlpManager {
  addDocument(language: string, text: string, intent: string): void;
  train(): Promise<void>;
  process(language: string, text: string): Promise<{ readonly intent: string }>;
}

/** In a variable, because the package is not a dependency; it is measured only if installed. */
const nlpPackage = "node-nlp";
const require = createRequire(import.meta.url);

/** Whether node-nlp is installed, which is not a dependency. */
export function nlpInstalled(): boolean {
  try {
    require.resolve(nlpPackage);
    return true;
  } catch {
    return false;
  }
}

/** nlp.js, trained on every eighth request of the shipped data, like the default models. */
export async function nlpClassifier(): Promise<(text: string) => Promise<string | null>> {
  const { NlpManager: Manager } = require(nlpPackage) as {
    readonly NlpManager: new (settings: object) => NlpManager;
  };
  const manager = new Manager({ languages: ["en"], nlu: { log: false }, autoSave: false });
  const rows = serviceDeskRequests().filter((_, index) => index % 8 === 0);
  for (const { text, workflow_id: workflowId } of rows)
    if (workflowId !== null) manager.addDocument("en", text, workflowId);
  await manager.train();
  return async (text) => {
    const { intent } = await manager.process("en", text);
    return intent === "None" ? null : intent;
  };
}
