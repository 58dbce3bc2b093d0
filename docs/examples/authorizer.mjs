/**
 * Example of an authorizer module: which workflows a caller may use.
 *
 * The ingress has authenticated the caller. It overwrites the header `x-authenticated-principal` of every request, so
 * that a caller cannot choose it, and nothing else can reach the server. An application that is built with `createApp`
 * can fill `request.scope.authenticated_principal` in a hook instead; that value comes first.
 */
const workflowsOf = new Map([
  ["portal", ["orders.status", "accounts.unlock"]],
  ["finance-desk", ["orders.status", "invoices.refund"]],
]);

/** Recognised by its name, so this module needs no package. */
class AuthorizationDenied extends Error {
  name = "AuthorizationDenied";
}

export default async function authorize(request) {
  const principal = request.scope.authenticated_principal ?? request.headers["x-authenticated-principal"];
  const granted = workflowsOf.get(principal);
  if (granted === undefined) throw new AuthorizationDenied("unknown caller");
  return granted;
}
