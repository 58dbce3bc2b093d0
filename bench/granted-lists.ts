/**
 * What the list of workflows that a caller may use costs the main thread on each request: the authorizer for local
 * callers, the check of its list, and eligibility. Processor time, median of seven rounds.
 *
 *   node dist/bench/granted-lists.js
 */
import { riskTiers } from "../src/documents/choices.js";
import { Eligibility } from "../src/router/policy/eligibility.js";
import type { RouterRuntime } from "../src/router/runtime.js";
import { askedGrant, effectiveAllowList, localAuthorizer, type ScopedRequest } from "../serve/authorizer.js";
import { aCatalog, aRouteRequest, aWorkflow } from "../test/support/builders.js";

const request = { socket: { remoteAddress: "127.0.0.1" }, scope: {} } as unknown as ScopedRequest;

for (const count of [112, 1000, 10_000, 30_000]) {
  const workflows = Array.from({ length: count }, (_, n) => aWorkflow({ workflow_id: `area_${n % 97}.workflow_${n}` }));
  const known = new Set(workflows.map(({ workflow_id: id }) => id));
  const authorizer = localAuthorizer({ router: { workflowIds: known } } as unknown as RouterRuntime, "127.0.0.1");
  const eligibility = new Eligibility(aCatalog({ workflows }), riskTiers);
  const once = async (): Promise<number> => {
    const { workflowIds } = await askedGrant(authorizer, request, aRouteRequest(), { timeoutMs: 1000, known });
    const allowed = effectiveAllowList(null, workflowIds, true);
    return eligibility.of({ allowed_workflow_ids: allowed, blocked_workflow_ids: [] }).size;
  };
  const rounds: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const before = process.cpuUsage();
    for (let n = 0; n < 100; n += 1) await once();
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 100);
  }
  const median = rounds.sort((a, b) => a - b)[3] ?? 0;
  process.stdout.write(`${count} workflows: ${median.toFixed(1)} µs a request\n`);
}
