/**
 * Routes under whichever catalog is active, for callers whose workflow ids stay the same from one catalog to the next.
 * During a rolling update replicas have different catalogs, so a request is sent again under the version that a replica names.
 *
 * @param client  a `SluiceClient`
 * @param attempts  how often one request is sent at most
 */
export function routeOnActiveCatalog(client, attempts = 4) {
  let version;
  return async function route(request, options) {
    for (let left = attempts; ; left -= 1) {
      version ??= (await client.health(options)).catalog_version;
      try {
        return await client.route({ ...request, catalog_version: version }, options);
      } catch (error) {
        if (error.code !== "CATALOG_VERSION_MISMATCH" || left <= 1) throw error;
        version = undefined;
      }
    }
  };
}
