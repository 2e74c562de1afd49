/** What the `/proxy` of Pods, Services and Nodes have in common: requests of any kind, passed on. */

import { badRequest, type KubeObject, notFound, serviceUnavailable } from "@coxswain/machinery";
import type { Admission } from "../../contracts/admission.ts";
import type { Reply } from "../../contracts/http.ts";
import type { RequestContext } from "../../contracts/request-context.ts";
import { bytesReply } from "../../http/exchange.ts";
import { isUpgrade, type Kubelets, type PodRequest } from "../../kubelets/kubelets.ts";
import { proxiedPath } from "../../kubelets/proxy-path.ts";
import { type NameAndPort, splitName } from "../../kubelets/target.ts";
import { type ObjectReader, readObject } from "../../storage/object-reader.ts";
import { admitConnect } from "../admit-connect.ts";
import type { ClusterServices, EffectServices } from "../services.ts";

export type ProxyServices = Pick<EffectServices, "access" | "admission" | "reader"> & {
  readonly cluster: Pick<ClusterServices, "kubelets">;
};

export interface ProxyRequest {
  readonly ctx: RequestContext;
  readonly kubelets: Kubelets;
  /** The part of the URL that names the object: `[SCHEME:]NAME[:PORT]`. */
  readonly asked: NameAndPort;
  /** Below `/proxy`; empty without a slash at its end. */
  readonly path: string;
}

/**
 * @param singular for errors
 * @throws badRequest() for a name that is none, serviceUnavailable() where no nodes are behind the server
 */
export async function proxyRequest(
  { reader, admission, cluster: { kubelets } }: ProxyServices,
  ctx: RequestContext,
  singular: string,
): Promise<ProxyRequest> {
  const { info, request, query } = ctx;
  if (query.has("dryRun")) throw badRequest("dryRun is not supported");
  const path = await admittedPath(admission, ctx, proxiedPath(info, request.path));
  if (kubelets === undefined) {
    await readNamed(reader, ctx, info.name);
    throw serviceUnavailable(`no endpoints available for ${info.resource} "${info.name}"`);
  }
  const asked = splitName(info.name);
  if (asked === undefined) throw badRequest(`invalid ${singular} request ${JSON.stringify(info.name)}`);
  return { ctx, kubelets, asked, path };
}

/** Plugins see and change it as people read it. */
async function admittedPath(admission: Admission, ctx: RequestContext, path: string): Promise<string> {
  const shown = decodeURIComponent(path);
  const { path: admitted = "" } = await admitConnect(admission, ctx, { path: shown });
  return admitted === shown ? path : encodeURI(String(admitted)).replace(/[?#]/g, encodeURIComponent);
}

/** @throws notFound() */
export async function readNamed<T extends KubeObject>(
  reader: ObjectReader,
  { resource, info }: RequestContext,
  name: string,
): Promise<Readonly<T>> {
  const found = await readObject<T>(reader, resource.definition, info.namespace, name);
  if (found === undefined) throw notFound(resource.groupResource, name);
  return found;
}

/** Where a request to a Pod or a Service goes. */
export type ProxyTarget = Omit<PodRequest, "path">;

export async function proxyTo({ ctx, kubelets, path }: ProxyRequest, target: ProxyTarget): Promise<Reply> {
  const { request, body } = ctx;
  return needsSlash(ctx, path) ? withSlash(ctx) : kubelets.proxy(request, body, { ...target, path: withQuery(ctx, path) });
}

export const withQuery = ({ request }: RequestContext, path: string): string =>
  `${path === "" ? "/" : path}${request.query === "" ? "" : `?${request.query}`}`;

/** Pages at the root have links that stand below it. */
export const needsSlash = ({ request }: RequestContext, path: string): boolean =>
  path === "" && (request.method === "GET" || request.method === "HEAD") && !isUpgrade(request);

export function withSlash({ request }: RequestContext): Reply {
  const location = `${request.path}/${request.query === "" ? "" : `?${request.query}`}`;
  return { ...bytesReply(301, "", new Uint8Array(0)), headers: { location } };
}
