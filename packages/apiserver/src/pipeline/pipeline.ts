/** The order of everything between a request and its answer. */
import { internalError, isConflict, type Status, StatusError, unauthorized } from "@coxswain/machinery";
import { OutcomeUnknownError, StorageError } from "@coxswain/store";
import { anonymous } from "../authentication/authenticator.ts";
import { refuseImpersonation } from "../authentication/impersonation.ts";
import { notAuthorized } from "../authorization/forbidden.ts";
import type { ServerContext } from "../context.ts";
import type { Authenticator, UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer } from "../contracts/authorizer.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { HttpHandler, HttpRequest, Reply } from "../contracts/http.ts";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";
import type { AggregatedGroups } from "../controlplane/aggregated-groups.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { countable, inflightKind, observed } from "../metrics/observe.ts";
import { negotiateError } from "../negotiation/negotiate.ts";
import { isCostlyBody, isOffloadable } from "../offload/request-cost.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { parseBool, parseQuery } from "../request/options.ts";
import { parseRequest } from "../request/request-info.ts";
import { requestedTimeout, within } from "../request/request-timeout.ts";
import { warningHeaders } from "../responsewriters/warning-headers.ts";
import { replyStatus } from "../responsewriters/write-object.ts";
import type { PathRoutes } from "../routes/paths.ts";

export interface PipelineOptions {
  readonly server: ServerContext;
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly metrics: Metrics;
  readonly paths: PathRoutes;
  readonly aggregated: Pick<AggregatedGroups, "answer">;
}

export function createPipeline(options: PipelineOptions): HttpHandler {
  const { server, metrics } = options;
  return async (request, body) => {
    const startedAt = server.clock.monotonic();
    const requestId = requestIdOf(request) ?? server.random.uuid();
    const warnings: string[] = [];
    let info: RequestInfo | undefined;
    let exchange: Exchange | undefined;
    let reply: Reply;
    const inflight = inflightKind(request.method);
    metrics.begin(inflight);
    try {
      const query = parseQuery(request.query);
      info = parseRequest(request.method, request.path, parseBool(query.get("watch")));
      const limitMs = requestedTimeout(info, query);
      const user = await authenticated(options.authenticate, request);
      refuseImpersonation(request, user);
      await authorized(options.authorize, info, user);
      exchange = { request, query, body, info, user, requestId, warnings };
      const foreign = options.aggregated.answer(info);
      const served =
        foreign !== undefined
          ? Promise.resolve(foreign)
          : info.kind === "resource"
            ? serve(server, exchange, info)
            : options.paths.serve(exchange, info);
      reply = await (limitMs === undefined ? served : within(server.clock, limitMs, served));
    } catch (error) {
      reply = await (error instanceof OffloadRequired && exchange !== undefined
        ? serveElsewhere(server, exchange)
        : answerError(server, error, { request, requestId, exchange }));
    }
    metrics.end(inflight);
    const series = metrics.requests(countable(info, request.method, server.registry), flagsOf(request));
    const counted = observed(series, reply, () => (server.clock.monotonic() - startedAt) / 1000);
    return { ...counted, headers: { "audit-id": requestId, ...warningHeaders(warnings), ...reply.headers } };
  };
}

function serve(server: ServerContext, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  const { offload } = server;
  if (offload !== undefined && isCostlyBody(exchange, info) && isOffloadable(info)) return offload.serve(exchange, info);
  const pause = server.eventLoop.yieldFor(exchange.body.byteLength);
  return pause === undefined ? server.serveResource(exchange, info) : pause.then(() => server.serveResource(exchange, info));
}

/** What has turned out to be too costly only when it was under way. */
async function serveElsewhere(server: ServerContext, exchange: Exchange): Promise<Reply> {
  const { info, query, request, requestId } = exchange;
  try {
    if (server.offload === undefined || info.kind !== "resource") throw new Error("no thread serves costly requests");
    const limitMs = requestedTimeout(info, query);
    const served = server.offload.serve(exchange, info);
    return await (limitMs === undefined ? served : within(server.clock, limitMs, served));
  } catch (error) {
    return answerError(server, error, { request, requestId, exchange });
  }
}

const maxRequestIdLength = 64;

/** Whoever calls for somebody else passes on the id of that request. One that is too long to keep is not taken. */
function requestIdOf({ headers }: HttpRequest): string | undefined {
  const given = headers["audit-id"];
  return typeof given === "string" && given !== "" && given.length <= maxRequestIdLength ? given : undefined;
}

const flagsOf = ({ headers, query }: HttpRequest): { readonly apply: boolean; readonly dryRun: boolean } => ({
  apply: headers["content-type"] === "application/apply-patch+yaml",
  dryRun: query.includes("dryRun="),
});

async function authenticated(authenticate: Authenticator, request: HttpRequest): Promise<UserInfo> {
  const pending = authenticate(request);
  const answer = pending instanceof Promise ? await pending : pending;
  switch (answer.kind) {
    case "authenticated":
      return answer.user;
    case "unclaimed":
      return anonymous;
    case "rejected":
      throw unauthorized();
  }
}

async function authorized(authorize: Authorizer, info: RequestInfo, user: UserInfo): Promise<void> {
  const attributes: AuthorizationAttributes =
    info.kind === "resource" ? { ...info, user } : { kind: "path", user, verb: info.verb, path: info.path };
  const pending = authorize(attributes);
  const decision = pending instanceof Promise ? await pending : pending;
  if (decision.kind === "allow") return;
  throw notAuthorized(attributes, decision.reason);
}

/** `exchange`: absent when it failed before the request was understood. */
interface Failed extends Pick<Exchange, "request" | "requestId"> {
  readonly exchange: Exchange | undefined;
}

async function answerError(server: ServerContext, error: unknown, failed: Failed): Promise<Reply> {
  const { request } = failed;
  const reply = await replyStatus(await toStatus(server, error, failed), negotiateError(request, parseQuery(request.query)));
  return reply.status === 401 ? { ...reply, closeConnection: true } : reply;
}

/** What the client learns of an error; what it cannot help is logged. */
async function toStatus(server: ServerContext, error: unknown, { requestId, exchange }: Failed): Promise<Status> {
  if (isConflict(error) && exchange?.info.kind === "resource") return server.conflicts.explain(error, exchange, exchange.info);
  if (error instanceof StatusError) return error.status;
  if (error instanceof StorageError || error instanceof OutcomeUnknownError) {
    server.log.error({ requestId, error }, "the store failed");
    return internalError(error.message).status;
  }
  server.log.error({ requestId, error }, "a request failed unexpectedly");
  return internalError("the server has an error; its log has the details under the request's Audit-Id").status;
}
