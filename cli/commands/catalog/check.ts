import { counted } from "../../../src/documents/number-text.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { checkCatalog } from "../../../stages/catalog.js";
import type { WorkOf } from "../../command.js";
import type { catalogCheckSpec } from "../../specs/catalog.js";

export const catalogCheck: WorkOf<typeof catalogCheckSpec> = async (context, { file, production }) => {
  const { catalog, problems, warnings } = await checkCatalog(file, production);
  const { catalog_version: catalogVersion, sha256, workflows } = catalog;
  const active = workflows.filter(({ status }) => status === "active");
  const tiers = riskTiers.map(
    (tier) => [tier, active.filter(({ risk_tier: riskTier }) => riskTier === tier).length] as const,
  );
  return {
    result: {
      file,
      catalog_version: catalogVersion,
      sha256,
      workflows: workflows.length,
      active: active.length,
      tiers: Object.fromEntries(tiers),
      production_problems: problems,
    },
    fields: [
      ["catalog", catalogVersion],
      ["sha256", sha256],
      ["workflows", `${workflows.length}, ${active.length} active`],
      ["risk tiers", tiers.map((pair) => pair.join(" ")).join(", ")],
      ["rules", "met"],
      ["production", problems.length === 0 ? "ready" : counted(problems.length, "problem")],
    ],
    warnings,
    next: [context.next("catalog", "show", file)],
  };
};
