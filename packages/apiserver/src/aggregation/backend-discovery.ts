/**
 * What another server says that it serves, in the form of aggregated discovery.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import { isObject } from "@coxswain/machinery";
import { aggregatorUser } from "./availability-check.ts";
import { type Backend, pathOf } from "./backend.ts";
import { type BackendDocument, type DocumentSource, fetchDocument } from "./backend-documents.ts";

type Json = Readonly<Record<string, unknown>>;

/** Resources of one group and version, as `resources` of aggregated discovery. */
export type DiscoveredResources = readonly Json[];

/** By `group/version`. */
export interface Discovered {
  readonly etag: string;
  readonly resources: ReadonlyMap<string, DiscoveredResources>;
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const maxBytes = 8 * 1024 * 1024;
/** With more, what a server sends is not discovery. */
const maxResources = 10_000;

/** `before`: what the same server has said last. Rejects where it says nothing that can be understood. */
export async function discover(source: DocumentSource, backend: Backend, before: Discovered | undefined): Promise<Discovered> {
  const user = aggregatorUser;
  const accept = aggregatedType;
  const document = await fetchDocument(source, backend, { path: "/apis", accept, user, etag: before?.etag ?? "", maxBytes });
  if (document.status === 304 && before !== undefined) return before;
  if (document.status === 200 && isAggregated(document)) return { etag: document.etag, resources: readAggregated(document) };
  const path = pathOf(backend);
  const legacy = await fetchDocument(source, backend, { path, accept: "application/json", user, maxBytes });
  if (legacy.status !== 200) throw new Error(`failed to get ${path}: status ${legacy.status}`);
  return { etag: "", resources: new Map([[groupVersionKey(backend), readLegacy(legacy)]]) };
}

export const groupVersionKey = ({ group, version }: Pick<Backend, "group" | "version">): string => `${group}/${version}`;

function isAggregated({ contentType }: BackendDocument): boolean {
  const parameters = contentType.split(";").map((part) => part.trim());
  return ["application/json", "g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"].every((part) => parameters.includes(part));
}

function readAggregated({ body }: BackendDocument): ReadonlyMap<string, DiscoveredResources> {
  const found = new Map<string, DiscoveredResources>();
  for (const item of arrayOf(objectOf(JSON.parse(body.toString())).items)) {
    const group = textOf(objectOf(objectOf(item).metadata).name);
    for (const served of arrayOf(objectOf(item).versions)) {
      const { version, resources } = objectOf(served);
      found.set(`${group}/${textOf(version)}`, arrayOf(resources).slice(0, maxResources).map(withKinds));
    }
  }
  return found;
}

/** Old clients cannot do without a kind. */
function withKinds(resource: unknown): Json {
  const { subresources, ...rest } = objectOf(resource);
  const withKind = (one: unknown): Json => ({ responseKind: { group: "", version: "", kind: "" }, ...objectOf(one) });
  return { ...withKind(rest), ...(subresources === undefined ? {} : { subresources: arrayOf(subresources).map(withKind) }) };
}

/** From `APIResourceList`, where subresources stand behind their resources. */
function readLegacy({ body }: BackendDocument): DiscoveredResources {
  const listed = arrayOf(objectOf(JSON.parse(body.toString())).resources)
    .slice(0, maxResources)
    .map(objectOf);
  const subresources = new Map<string, Json[]>();
  for (const one of listed) {
    const [resource = "", subresource] = textOf(one.name).split("/", 2);
    if (subresource === undefined) continue;
    const known = subresources.get(resource) ?? [];
    known.push({ subresource, responseKind: kindOf(one), verbs: arrayOf(one.verbs) });
    subresources.set(resource, known);
  }
  return listed
    .filter((one) => !textOf(one.name).includes("/"))
    .map((one) => {
      const own = subresources.get(textOf(one.name));
      const { name: resource, namespaced, singularName, verbs, shortNames, categories } = one;
      return {
        resource,
        responseKind: kindOf(one),
        scope: namespaced === true ? "Namespaced" : "Cluster",
        singularResource: textOf(singularName),
        verbs: arrayOf(verbs),
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
        ...(own === undefined ? {} : { subresources: own }),
      };
    });
}

const kindOf = ({ group, version, kind }: Json): Json => ({ group: textOf(group), version: textOf(version), kind: textOf(kind) });

const objectOf = (value: unknown): Json => (isObject(value) ? (value as Json) : {});
const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
