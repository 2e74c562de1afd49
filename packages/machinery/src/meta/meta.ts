/** The metadata that every object carries, and the ways of naming kinds and resources. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/**
 * One manager's entry in `metadata.managedFields`: which fields it owns, by which operation and in which version.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

/**
 * The metadata that every stored object has. Times are RFC 3339.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  /** Opaque to clients: a store Revision in decimal. Absent in stored bytes. */
  resourceVersion?: string;
  /** A safe integer that grows when the desired state changes. */
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of the API, built-in or custom, as JSON decodes it. */
export interface KubeObject {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  [field: string]: unknown;
}

/** What an object is: `apps`, `v1`, `Deployment`; the core group is empty. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where objects are served: `apps`, `v1`, `deployments`; the core group is empty. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What error messages name: `resource` in the core group, `resource.group` elsewhere. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Returns a resource as Kubernetes' messages name it: `pods`, `deployments.apps`. */
export const qualifiedResource = ({ group, resource }: GroupResource): string => (group === "" ? resource : `${resource}.${group}`);

/** Returns a kind as Kubernetes' messages name it: `Pod`, `Deployment.apps`. */
export const qualifiedKind = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  group === "" ? kind : `${kind}.${group}`;

/** `v1` in the core group, `group/version` elsewhere. */
export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? version : `${group}/${version}`;

/** Splits `group/version`; undefined when there is more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  if (apiVersion.indexOf("/", slash + 1) >= 0) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The metadata of a list: the version at which it was read, and the token of its next page. */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
