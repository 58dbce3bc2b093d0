import { collectTexts } from "../collect-texts.js";
import type { ReadMaterial } from "../material.js";
import { isJsonObject, listAt, textAt } from "../parse-json.js";

const routesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : listAt(value, "routes"));

/** Whether a value is a route file: routes with a name and utterances, in a list or below `routes`. */
export function isSemanticRouter(value: unknown): boolean {
  const routes = routesOf(value);
  return routes.length > 0 && routes.every((route) => textAt(route, "name") !== null && hasUtterances(route));
}

const hasUtterances = (route: unknown): boolean => isJsonObject(route) && Array.isArray(route["utterances"]);

/** Routes of a semantic-router file; descriptions become those of the workflows. */
export function readSemanticRouter(file: string, value: unknown): ReadMaterial {
  const routes = routesOf(value).flatMap((route) => {
    const name = textAt(route, "name");
    return name === null ? [] : [{ name, description: textAt(route, "description"), route }];
  });
  const found = routes.flatMap(({ name, route }) =>
    listAt(route, "utterances").map((text, index) => ({
      file,
      at: `route ${name} utterance ${index + 1}`,
      text,
      label: name,
    })),
  );
  return {
    ...collectTexts(found),
    workflows: routes.map(({ name, description }) => ({ label: name, description, inputs: [], writes: null })),
    decisions: ["Score thresholds of the routes are not used: Sluice certifies its own."],
  };
}
