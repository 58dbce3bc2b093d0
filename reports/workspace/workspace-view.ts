export interface WorkspaceLink {
  readonly text: string;
  /** Path on the same server. */
  readonly href: string;
}

export interface WorkspaceState {
  readonly word: string;
  readonly tone: "good" | "bad" | "open" | "quiet";
}

/** Content of a cell: a text, a count, a time, a link, or a state. */
export type WorkspaceCell =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly text: string }
  /** UTC, in whole seconds. */
  | { readonly kind: "time"; readonly at: string }
  | ({ readonly kind: "link" } & WorkspaceLink)
  | ({ readonly kind: "state" } & WorkspaceState);

/** One list of the workspace, newest first. */
export interface WorkspaceSection {
  /** Name in the URL, e.g. "runs". */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly WorkspaceCell[])[];
  /** Text for an empty list, which explains how to create the first row. */
  readonly empty: string;
  readonly older: number;
  /** Shares over time, drawn above the rows. */
  readonly trends?: readonly Trend[];
}

/** A share at each record, oldest first. */
export interface Trend {
  readonly label: string;
  /** From 0 to 1; null where a record has none. */
  readonly shares: readonly (number | null)[];
}

/** Status of a project, as `sluice status` prints it. */
export interface ProjectPart {
  readonly name: string;
  readonly upToDate: boolean;
  readonly steps: readonly { readonly name: string; readonly state: string; readonly summary: string }[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Problems that block the project, including problems of the serving bundle. */
  readonly problems: readonly string[];
}

/** Everything that the page of a workspace shows. */
export interface WorkspaceView {
  /** Time of the overview: UTC, in whole seconds. */
  readonly asOf: string;
  readonly workspace: string;
  /** null: no project file. */
  readonly project: ProjectPart | null;
  readonly next: readonly string[];
  readonly sections: readonly WorkspaceSection[];
  /** Box for trying a request; null if this server has none. */
  readonly trying: TryBox | null;
  /** Form for comparing two of its subjects; null if this server accepts no form. */
  readonly comparing: CompareForm | null;
}

/** Runs and calibrations of which any two can be compared, newest first. */
export interface CompareForm {
  /** Secret that the form sends back. */
  readonly token: string;
  readonly subjects: readonly { readonly id: string; readonly label: string }[];
}

export interface TryBox {
  /** Secret that the form sends back. */
  readonly token: string;
  readonly answer: TriedRequest | null;
}

export interface TriedRequest {
  readonly text: string;
  /** The decision in one sentence, or the error. */
  readonly outcome: string;
  /** Why; null if the outcome says it. */
  readonly reason: string | null;
  /** In decision order: the confidence of the first, and the odds of the others relative to it, e.g. "1 : 12". */
  readonly candidates: readonly { readonly workflow: string; readonly tier: string; readonly likelihood: string }[];
}
