/** The objects that a requested token is bound to. */
import { badRequest, conflict, goQuote, type KubeObject, notFound, parseApiVersion } from "@coxswain/machinery";
import type { ResourceRequest } from "../../../contracts/request-info.ts";
import type { BoundObjectRefs } from "../../../service-accounts/claims.ts";
import { type ObjectReader, readObject } from "../../../storage/object-reader.ts";

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Of the service account. */
type AccountName = Pick<ResourceRequest, "namespace" | "name">;

/** What the token is to end with. @throws notFound(), badRequest(), conflict() */
export async function boundObjectRefs(
  reader: ObjectReader,
  account: AccountName,
  bound: BoundObjectReference | undefined,
): Promise<BoundObjectRefs> {
  if (bound === undefined) return {};
  const { kind: boundKind = "", apiVersion = "", name = "", uid = "" } = bound;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const refs = group === "" ? await readRefs(reader, account, boundKind, name) : undefined;
  if (refs === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${boundKind}`);
  const actual = (refs.pod ?? refs.secret ?? refs.node)?.metadata?.uid;
  if (uid === "" || uid === actual) return refs;
  throw conflict(
    { group, resource: boundKind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}

/** Undefined for kinds that no token can be bound to. */
async function readRefs(
  reader: ObjectReader,
  { namespace, name: account }: AccountName,
  boundKind: string,
  name: string,
): Promise<BoundObjectRefs | undefined> {
  switch (boundKind) {
    case "Pod": {
      const pod = await coreObject(reader, "pods", namespace, name);
      const { serviceAccountName, nodeName } = (pod.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
      if (serviceAccountName !== account) {
        const why = "to pod running with different serviceaccount name.";
        throw badRequest(`cannot bind token for serviceaccount ${goQuote(account)} ${why}`);
      }
      return nodeName === undefined || nodeName === "" ? { pod } : { pod, node: await nodeOf(reader, nodeName) };
    }
    case "Secret":
      return { secret: await coreObject(reader, "secrets", namespace, name) };
    case "Node":
      return { node: await coreObject(reader, "nodes", "", name) };
    default:
      return undefined;
  }
}

/** The token names the Pod's node even where there is no such Node. */
const nodeOf = async (reader: ObjectReader, name: string): Promise<Readonly<KubeObject>> =>
  (await readObject(reader, { group: "", version: "v1", resource: "nodes" }, "", name)) ?? { metadata: { name } };

/** @throws notFound() */
export async function coreObject(reader: ObjectReader, resource: string, namespace: string, name: string): Promise<Readonly<KubeObject>> {
  const found = await readObject(reader, { group: "", version: "v1", resource }, namespace, name);
  if (found === undefined) throw notFound({ group: "", resource }, name);
  return found;
}
