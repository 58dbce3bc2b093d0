/** Body of a route request. Omitted fields have the server's defaults. */
export interface RouteRequest {
  /** 1 to 8,000 characters, not blank. */
  readonly text: string;
  /** By default the server generates one. */
  readonly request_id?: string;
  /** Known input values by name. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The catalog version that the caller knows; if another is active, the server answers 409. Required in production. */
  readonly catalog_version?: string;
  /** Narrows what authorization grants; an empty list allows nothing. */
  readonly allowed_workflow_ids?: readonly string[];
  readonly blocked_workflow_ids?: readonly string[];
  /** Type of an event, for routing by event where the policy enables it. */
  readonly event_type?: string;
  /** Shows candidates, in development only. */
  readonly debug?: boolean;
}
