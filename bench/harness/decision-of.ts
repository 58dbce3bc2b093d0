/** What the body of an answer decides: decision, workflow and reason. Everything else may differ from run to run. */
export function decisionOf(body: string): string {
  const { decision, workflow_id, reason_code } = JSON.parse(body) as Readonly<Record<string, string | null>>;
  return `${decision} ${workflow_id} ${reason_code}`;
}
