/** Where the connections of a Pod are. */
import type { Client, Target } from "../contracts/client.ts";
import type { Socket } from "../transport/transport.ts";

/** What is undefined is left out; a list is repeated. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export function podPath(client: Client, target: Target, subresource: string, query: Query): string {
  const { namespace = client.namespace, name } = typeof target === "string" ? { name: target } : target;
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(key, String(one));
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/${subresource}`;
  return search.size === 0 ? path : `${path}?${search}`;
}

/** @throws StatusError when the server refuses, ConnectionError, Error when the client's transport knows no WebSockets */
export function openSocket(client: Client, path: string, protocols: readonly string[], signal: AbortSignal | undefined): Promise<Socket> {
  const { transport } = client;
  if (transport.open === undefined) throw new Error("this client's transport has no WebSockets");
  return transport.open({ path, protocols, signal });
}
