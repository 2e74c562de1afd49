/** What a request is about, as its method and path alone say. */

/** Empty for what has none: only who may do everything may do that. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection" | "";

/** A request on a resource, as its method and path say. */
export interface ResourceRequest {
  readonly kind: "resource";
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped requests and for lists over all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  /** Empty for requests on a collection. */
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, for proxies. */
  readonly rest: string;
}

export interface PathRequest {
  readonly kind: "path";
  /** The method in lower case, as authorisation rules name it. */
  readonly verb: string;
  readonly path: string;
  /** Present for paths under a group and version whose resource does not matter: `/apis/apps/v1`. */
  readonly segments: readonly string[];
  /** What authorizers are asked about instead, where the path is a resource's and the method is none that resources have. */
  readonly resource?: ResourceRequest;
}

/** What a request is about: a resource, or any other path. */
export type RequestInfo = ResourceRequest | PathRequest;
