/** A request as fault rules see it. */
import { parseRequest, type ResourceRequest, type Verb } from "@coxswain/apiserver";
import type { TransportRequest } from "@coxswain/client";
import { parseJson } from "@coxswain/machinery";

/** A request of a client, as fault rules match it and reports name it. */
export interface SeenRequest extends Pick<ResourceRequest, "group" | "version" | "resource" | "subresource" | "namespace" | "name"> {
  /** How many requests this one makes, from 1 on. */
  readonly number: number;
  /** `other` for what is on no resource: discovery, health, OpenAPI. Then `resource` and the like are empty. */
  readonly verb: Verb | "other";
  /** From the root, with the query. */
  readonly path: string;
  /** What the query says. */
  readonly resourceVersion: string | undefined;
  /** It asks for a state that must not be a newer one: the next page of a list, or an exact version. */
  readonly exact: boolean;
}

export function seenRequest(request: TransportRequest, number: number): SeenRequest {
  const url = new URL(request.path, "http://localhost");
  const query = url.searchParams;
  const info = parseRequest(request.method, url.pathname, ["1", "true"].includes(query.get("watch") ?? ""));
  const common = {
    number,
    path: request.path,
    resourceVersion: query.get("resourceVersion") ?? undefined,
    exact: (query.get("continue") ?? "") !== "" || query.get("resourceVersionMatch") === "Exact",
  };
  if (info.kind === "path")
    return { ...common, verb: "other", group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return {
    ...common,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name: name || (verb === "create" ? nameIn(request.body) : ""),
  };
}

/** Empty for what the server is to name, and for what is no JSON. */
function nameIn(body: Uint8Array | undefined): string {
  try {
    const object = parseJson(body ?? new Uint8Array(0)) as { readonly metadata?: { readonly name?: unknown } } | null;
    return typeof object?.metadata?.name === "string" ? object.metadata.name : "";
  } catch {
    return "";
  }
}
