/** `/pods/NAME/log`: what a container has written, passed on from the kubelet of the Pod's node. */

import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { bytesReply } from "../../../http/exchange.ts";
import { parseBool } from "../../../request/options.ts";
import { type ConnectServices, kubeletLocation } from "./kubelet-location.ts";
import { checkLogOptions } from "./log-options.ts";

export const podLog: SubresourceEffect<ConnectServices> = {
  on: "/pods/log",
  answers: "connection",
  create: (services) => (ctx) => readLog(services, ctx),
};

async function readLog(services: ConnectServices, ctx: RequestContext): Promise<Reply> {
  const { info, query } = ctx;
  checkLogOptions(info.name, query);
  const location = await kubeletLocation(services, ctx, { path: "containerLogs", ofContainer: true, query: kubeletQuery(query) });
  // What has not started has written nothing, and that is no error.
  if (location === undefined) return bytesReply(204, "", new Uint8Array(0));
  return location.kubelets.logs(location.request, { pod: info.name, verify: !parseBool(query.get("insecureSkipTLSVerifyBackend")) });
}

/** The options that kubelets know. */
function kubeletQuery(query: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams();
  for (const name of ["follow", "previous", "timestamps"]) if (parseBool(query.get(name))) kept.set(name, "true");
  for (const name of ["sinceSeconds", "sinceTime", "tailLines", "limitBytes", "stream"]) {
    const value = query.get(name) ?? "";
    if (value !== "") kept.set(name, value);
  }
  return kept;
}
