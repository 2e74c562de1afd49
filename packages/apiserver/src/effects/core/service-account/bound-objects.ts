/** The objects that a requested token is bound to. */
import { badRequest, conflict, goQuote, type KubeObject, notFound, parseApiVersion } from "@coxswain/machinery";
import type { RequestContext } from "../../../context.ts";
import type { Bonds } from "../../../service-accounts/claims.ts";
import { keyOf } from "../../../storage/served-resource.ts";

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** What the token is to end with. @throws notFound(), badRequest(), conflict() */
export async function bondsOf(ctx: RequestContext, bound: BoundObjectReference | undefined): Promise<Bonds> {
  if (bound === undefined) return {};
  const { kind: boundKind = "", apiVersion = "", name = "", uid = "" } = bound;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
  const bonds = group === "" ? await namedBonds(ctx, boundKind, name) : undefined;
  if (bonds === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${boundKind}`);
  const actual = (bonds.pod ?? bonds.secret ?? bonds.node)?.metadata?.uid;
  if (uid === "" || uid === actual) return bonds;
  throw conflict(
    { group, resource: boundKind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}

/** Undefined for kinds that no token can be bound to. */
async function namedBonds(ctx: RequestContext, boundKind: string, name: string): Promise<Bonds | undefined> {
  switch (boundKind) {
    case "Pod": {
      const pod = await objectNamed(ctx, "pods", name);
      const { serviceAccountName, nodeName } = (pod.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
      if (serviceAccountName !== ctx.info.name) {
        const why = "to pod running with different serviceaccount name.";
        throw badRequest(`cannot bind token for serviceaccount ${goQuote(ctx.info.name)} ${why}`);
      }
      return nodeName === undefined || nodeName === "" ? { pod } : { pod, node: await nodeOf(ctx, nodeName) };
    }
    case "Secret":
      return { secret: await objectNamed(ctx, "secrets", name) };
    case "Node":
      return { node: await objectNamed(ctx, "nodes", name) };
    default:
      return undefined;
  }
}

/** A Pod's node is told even if nobody knows it. */
const nodeOf = async (ctx: RequestContext, name: string): Promise<Readonly<KubeObject>> =>
  (await find(ctx, "nodes", name)) ?? { metadata: { name } };

export async function objectNamed(ctx: RequestContext, resource: string, name: string): Promise<Readonly<KubeObject>> {
  const found = await find(ctx, resource, name);
  if (found === undefined) throw notFound({ group: "", resource }, name);
  return found;
}

async function find({ server, info }: RequestContext, resource: string, name: string): Promise<Readonly<KubeObject> | undefined> {
  const served = server.served.find("", "v1", resource);
  if (served === undefined) return undefined;
  const { entry } = await server.store.get(keyOf(served, info.namespace, name));
  return entry === undefined ? undefined : server.cache.objectOf(entry);
}
