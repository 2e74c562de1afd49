/** What the server itself does, as a request of one of Kubernetes' components: history and managed fields name that one. */
import type { RandomSource } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { plainJson } from "../negotiation/negotiate.ts";

export interface SystemRequest {
  /** Under which name it manages fields; as a user it has `system:` in front, unless another user is given. It may do everything. */
  readonly component: string;
  readonly user?: string;
  readonly verb: "create" | "update" | "delete";
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

export const systemContext = (
  random: RandomSource,
  resource: ServedResource,
  { component, user = `system:${component}`, verb, namespace = "", name, subresource = "" }: SystemRequest,
): RequestContext => ({
  request: { method: "PUT", path: "", query: "", headers: { "user-agent": component }, remoteAddress: "", http1: false },
  query: new URLSearchParams(),
  body: new Uint8Array(0),
  info: {
    kind: "resource",
    verb,
    group: resource.definition.group,
    version: resource.definition.version,
    namespace,
    resource: resource.definition.resource,
    name,
    subresource,
    rest: "",
  },
  resource,
  representation: plainJson,
  user: { name: user, uid: "", groups: ["system:masters"], extra: {} },
  requestId: random.uuid(),
  warnings: [],
  maxBytes: Number.POSITIVE_INFINITY,
});
