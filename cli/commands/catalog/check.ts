import type { Catalog } from "../../../src/domain/catalog.js";
import { type RiskTier, riskTiers } from "../../../src/domain/choices.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { productionWarnings } from "../../../workbench/catalog/production-warnings.js";
import type { WorkOf } from "../../command.js";
import type { catalogCheckShape } from "../../shapes/catalog.js";
import { loadCatalog, requireProductionCatalog } from "../../../src/catalog/load.js";
import { productionProblems } from "../../../src/catalog/rules.js";

/** Result of `catalog check`. */
export interface CatalogCheck {
  readonly file: string;
  readonly catalog_version: string;
  readonly sha256: string;
  readonly workflows: number;
  readonly active: number;
  /** Active workflows of each tier. */
  readonly tiers: Readonly<Record<RiskTier, number>>;
  /** What keeps the catalog out of production; empty when nothing does. */
  readonly production_problems: readonly string[];
}

export const catalogCheck: WorkOf<typeof catalogCheckShape> = async (context, { file, production }) => {
  const { catalog, bytes } = await loadCatalog(file);
  if (production) requireProductionCatalog(catalog);
  const result = summarise(
    file,
    catalog,
    productionProblems(catalog).map(({ message }) => message),
  );
  return commandResult({
    schema: "catalog-check@1",
    result,
    lines: checkLines(result),
    warnings: await productionWarnings({ catalog, bytes, name: file }),
    next: [context.nextLine("catalog", "show", file)],
  });
};

function summarise(file: string, catalog: Catalog, problems: readonly string[]): CatalogCheck {
  const active = catalog.workflows.filter((workflow) => workflow.status === "active");
  const ofTier = (tier: RiskTier): number => active.filter((workflow) => workflow.riskTier === tier).length;
  return {
    file,
    catalog_version: catalog.catalogVersion,
    sha256: catalog.sha256,
    workflows: catalog.workflows.length,
    active: active.length,
    tiers: { low: ofTier("low"), medium: ofTier("medium"), high: ofTier("high"), critical: ofTier("critical") },
    production_problems: problems,
  };
}

/** The result in words. */
export function checkLines(check: CatalogCheck): readonly string[] {
  const tiers = riskTiers.map((tier) => `${tier} ${check.tiers[tier]}`).join(", ");
  const problems = check.production_problems.length;
  return fields([
    ["catalog", check.catalog_version],
    ["sha256", check.sha256],
    ["workflows", `${check.workflows}, ${check.active} active`],
    ["risk tiers", tiers],
    ["rules", "kept"],
    ["production", problems === 0 ? "ready" : `${problems} ${problems === 1 ? "problem" : "problems"}`],
  ]);
}
