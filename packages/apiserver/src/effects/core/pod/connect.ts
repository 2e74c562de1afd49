/** Connections to commands in a Pod and to its ports: passed on to the kubelet of its node. */

import { badRequest } from "@coxswain/machinery";
import { notAuthorized } from "../../../authorization/forbidden.ts";
import type { Authorizer } from "../../../contracts/authorizer.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import { parseBool } from "../../../request/options.ts";
import { admittedConnection } from "../../admit-connect.ts";
import type { AccessServices, EffectServices } from "../../services.ts";
import { type Connection, type ConnectServices, kubeletLocation } from "./kubelet-location.ts";

export type StreamServices = ConnectServices & Pick<EffectServices, "admission"> & { readonly access: Pick<AccessServices, "authorize"> };

/** @param connectionOf what the kubelet is asked, of the options as admission leaves them. @throws StatusError */
export async function connectToPod(
  services: StreamServices,
  asked: RequestContext,
  connectionOf: (query: URLSearchParams) => Connection,
): Promise<Reply> {
  if (asked.query.has("dryRun")) throw badRequest("dryRun is not supported");
  await checkMayCreate(services.access.authorize, asked);
  const ctx = await admittedConnection(services.admission, asked);
  const location = await kubeletLocation(services, ctx, connectionOf(ctx.query));
  if (location === undefined) throw badRequest(`pod ${ctx.info.name} does not have a host assigned`);
  return location.kubelets.connect(ctx.request, location.request);
}

/** A WebSocket begins with a GET, but who may only read may not run anything. @throws forbidden() */
async function checkMayCreate(authorize: Authorizer, { info, user }: RequestContext): Promise<void> {
  if (info.verb === "create") return;
  const attributes = { ...info, verb: "create" as const, user };
  const decision = await authorize(attributes);
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}

/** Which streams of a command are wanted, as kubelets call them. */
export function streamQuery(query: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams();
  for (const [name, kubelets] of streamNames) if (parseBool(query.get(name))) kept.set(kubelets, "1");
  return kept;
}

/** What clients and what kubelets call them. */
const streamNames = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"],
] as const;
