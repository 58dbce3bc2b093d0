/** A catalog file with two active workflows; the second has no owner. */
export const smallCatalog = `schema_version: 1
catalog_version: small-1
workflows:
  - workflow_id: orders.track
    version: "1"
    name: Track an order
    description: Says where an order is now.
    owner: orders
    risk_tier: low
    side_effect: read_only
  - workflow_id: orders.cancel
    version: "1"
    name: Cancel an order
    description: Cancels an order that has not been sent.
    risk_tier: high
    side_effect: internal_write
`;

/** The same with an owner for every workflow: fit for production. */
export const ownedCatalog = smallCatalog.replace("    risk_tier: high", "    owner: orders\n    risk_tier: high");
