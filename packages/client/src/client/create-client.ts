import type { KubeObject } from "@coxswain/machinery";
import type { Client, ClientOptions } from "../contracts/client.ts";
import { ReconcileFailures } from "../contracts/reconcile-failures.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { createDiscovery } from "../discovery/discovery.ts";
import { createRequests } from "../rest/requests.ts";
import { createResourceClient } from "./resource-client.ts";

/** Disposing the client ends its watches and closes the transport. */
export function createClient(options: ClientOptions): Client {
  const { transport, clock, random, namespace = "default", fieldManager, omitsManagedFields = false, onWarning, log } = options;
  const { reconcileFailures = new ReconcileFailures() } = options;
  const lifetime = new AbortController();
  const requests = createRequests({
    transport,
    clock,
    random,
    fieldManager,
    onWarning,
    onUnknownPath: () => discovery.forget(),
    closing: lifetime.signal,
  });
  const discovery = createDiscovery(requests);
  return {
    transport,
    clock,
    random,
    namespace,
    log,
    reconcileFailures,
    resource: <T extends KubeObject>(ref: ResourceRef<T>, bound?: string) =>
      createResourceClient<T>(requests, { ref, namespace: bound, defaultNamespace: namespace, fieldManager, omitsManagedFields }),
    refOf: (kind, opts) => discovery.refOf(kind, opts),
    discover: (opts) => discovery.discover(opts),
    request: (request) => requests.send(request),
    with: (changes) => createClient({ ...options, reconcileFailures, ...changes }),
    [Symbol.asyncDispose]: async () => {
      lifetime.abort(new Error("the client is closed"));
      await transport[Symbol.asyncDispose]();
    },
  };
}
