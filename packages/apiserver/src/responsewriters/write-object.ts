/** Goes with RequestContext.server. */
import type { KubeObject, ListMeta } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { Outcome } from "../registry/outcome.ts";
import type { ResponseWriter } from "./response-writer.ts";

export { encode, replyError, replyStatus } from "./encode.ts";

type WithServer = RequestContext & { readonly server: { readonly responses: ResponseWriter } };
export const replyOutcome = (ctx: WithServer, status: number, outcome: Outcome): Promise<Reply> =>
  ctx.server.responses.outcome(ctx, status, outcome);
export const objectOf = (ctx: WithServer, outcome: Outcome): Promise<Readonly<KubeObject>> => ctx.server.responses.objectOf(ctx, outcome);
export const replyEntry = (ctx: WithServer, status: number, stored: Entry): Promise<Reply> =>
  ctx.server.responses.entry(ctx, status, stored);
export const replyObject = (ctx: WithServer, status: number, object: Readonly<KubeObject>, resource: ServedResource): Promise<Reply> =>
  ctx.server.responses.object(ctx, status, object, resource);
export const replyList = (ctx: WithServer, entries: readonly Entry[], meta: ListMeta): Promise<Reply> =>
  ctx.server.responses.list(ctx, entries, meta);
