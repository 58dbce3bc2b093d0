/** Body of a route request. Omitted fields take the server's defaults. */
export interface RouteRequest {
  /** 1 to 8,000 characters, not blank. */
  readonly text: string;
  /** By default the server generates one. */
  readonly requestId?: string;
  /** Known input values by name. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The catalog version that the caller knows; another active one is a 409. Required in production. */
  readonly catalogVersion?: string;
  /** Narrows what authorization grants; an empty list allows nothing. */
  readonly allowedWorkflowIds?: readonly string[];
  readonly blockedWorkflowIds?: readonly string[];
  /** Type of an event, for routing by event where the policy enables it. */
  readonly eventType?: string;
  /** Shows candidates, in development only. */
  readonly debug?: boolean;
}

/** The request with wire names; JSON omits undefined fields. */
export function requestBody(request: RouteRequest): string {
  return JSON.stringify({
    text: request.text,
    request_id: request.requestId,
    context: request.context,
    catalog_version: request.catalogVersion,
    allowed_workflow_ids: request.allowedWorkflowIds,
    blocked_workflow_ids: request.blockedWorkflowIds,
    event_type: request.eventType,
    debug: request.debug,
  });
}
