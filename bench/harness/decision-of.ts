/** The decision, workflow and reason in the body of a response. All other fields may differ between runs. */
export function decisionOf(body: string): string {
  const { decision, workflow_id, reason_code } = JSON.parse(body) as Readonly<Record<string, string | null>>;
  return `${decision} ${workflow_id} ${reason_code}`;
}
