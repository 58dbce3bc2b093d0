import type { TriedRequest, WorkspaceView } from "../../../reports/workspace/workspace-view.js";

const id = "3f9c01ab".repeat(8);

/** A view with every kind of cell, a long name, and a list of which older rows are left out. */
export function aWorkspaceView(changes: Partial<WorkspaceView> = {}): WorkspaceView {
  return {
    asOf: "2026-03-01T12:00:00Z",
    workspace: "router/sluice-workspace",
    project: {
      name: "service-desk",
      upToDate: false,
      steps: [
        { name: "import", state: "up to date", summary: "2,430 requests" },
        { name: "score", state: "missing", summary: "the catalog was changed" },
        { name: "report", state: "waits", summary: "" },
      ],
      facts: [
        { label: "people", value: "ann signs; two of bo, cy must approve" },
        { label: "exported", value: "bundle 3f9c01ab3f9c (bundle-7), in sluice-workspace/bundle" },
      ],
      problems: ["A server refuses the exported bundle: the approval of bo has expired"],
    },
    next: ["sluice run --release"],
    comparing: null,
    sections: [
      {
        id: "runs",
        title: "Runs",
        columns: ["Run", "At", "Model", "Requests"],
        rows: [
          [
            { kind: "link", text: id.slice(0, 12), href: `/reports/run/${id}` },
            { kind: "time", at: "2026-03-01T11:00:00Z" },
            { kind: "text", text: "a-retriever-with-a-long-name-7+a-verifier-with-a-long-name-12" },
            { kind: "number", text: "2,430" },
          ],
        ],
        empty: "",
        older: 0,
      },
      {
        id: "releases",
        title: "Releases",
        columns: ["Bundle", "Command", "Status"],
        rows: [
          [
            { kind: "text", text: "<b>&" },
            { kind: "text", text: "sluice eval compare 3f9c01ab3f9c 77e1d2c477e1" },
            { kind: "state", word: "1 missing", tone: "open" },
          ],
        ],
        empty: "",
        older: 4,
      },
      {
        id: "calibrations",
        title: "Calibrations",
        columns: ["At"],
        rows: [[{ kind: "time", at: "2026-03-01T11:00:00Z" }]],
        empty: "",
        older: 0,
        trends: [{ label: "At most wrong", shares: [0.3, null, 0.2, 0.15] }],
      },
      { id: "exports", title: "Exports", columns: ["At"], rows: [], empty: "Nothing has been exported yet", older: 0 },
    ],
    trying: null,
    ...changes,
  };
}

export const aTriedRequest: TriedRequest = {
  text: "where is <b>my order</b>",
  outcome: "ROUTE orders.status",
  reason: "ACCEPTED_LOW_RISK: the confidence reached the threshold",
  candidates: [
    { workflow: "orders.status", tier: "low", likelihood: "97.0%" },
    { workflow: "orders.cancel", tier: "high", likelihood: "1 : 12" },
  ],
};
