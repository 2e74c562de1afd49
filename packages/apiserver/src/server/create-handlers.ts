/** What answers requests, put together of stages, resources and paths. */
import type { HistoryReader } from "@coxswain/history";
import type { Aggregator } from "../aggregation/aggregator.ts";
import type { AuditOptions } from "../contracts/audit.ts";
import type { FlowControl } from "../contracts/flow-control.ts";
import type { HttpHandler, Reply } from "../contracts/http.ts";
import type { ObservedReads } from "../contracts/invariant.ts";
import type { ProcessPeer, ProcessRequest } from "../contracts/process-peer.ts";
import { defaultRequestTimeoutMs, type ServingOptions } from "../contracts/serving-options.ts";
import { createDispatch } from "../pipeline/dispatch.ts";
import { createPipeline } from "../pipeline/pipeline.ts";
import { historyOf } from "../pipeline/stages/request-info.ts";
import { createStages } from "../pipeline/stages.ts";
import { parseQuery } from "../request/options.ts";
import type { Endpoint } from "../routes/endpoints.ts";
import type { HealthCheck } from "../routes/health.ts";
import { createPathRoutes, type PageSource } from "../routes/paths.ts";
import { historyBeside, pathRequestOf, pathsBeside, pathsOfAll, wholeReply } from "../routes/process-paths.ts";
import type { Report } from "../routes/reports.ts";
import { versionInfo } from "../routes/version.ts";
import type { AuthenticationOptions } from "./create-authentication.ts";
import { createServeHistory } from "./create-serve-history.ts";
import { createDocuments, createServerHealth, type ServerState } from "./documents.ts";
import { withRequestTimeout } from "./request-timeout.ts";
import type { ResourceServer } from "./services.ts";
import type { ShutdownState } from "./shutdown.ts";

/** What requests are answered with, beyond the resources of a server. */
export interface HandlerOptions {
  /** Served at `/coxswain/ui/…`. */
  readonly pages?: PageSource | undefined;
  /** Served at `/coxswain/v1/NAME/…`, by name. */
  readonly reports?: ReadonlyMap<string, Report>;
  /** The same, for any method. */
  readonly endpoints?: ReadonlyMap<string, Endpoint>;
  /** What is kept of the past. Default: what the store still has. */
  readonly history?: HistoryReader | undefined;
  /** How else clients may prove who they are. */
  readonly authentication?: AuthenticationOptions;
  /** Which requests are recorded, and where. Default: none. */
  readonly audit?: AuditOptions | undefined;
  /** Of several servers of this process, each on a copy of the store of the first: what that does for this one. */
  readonly first?: ProcessPeer | undefined;
  /** The others, where this is the first. */
  readonly others?: (() => readonly ProcessPeer[]) | undefined;
  /** The version of coxswain. */
  readonly version: string;
  /** As Kubernetes names it: `linux/amd64`. */
  readonly platform: string;
  /** More checks for `/healthz` and its like. */
  readonly healthChecks?: readonly HealthCheck[];
  /** How requests are served, and how serving ends. */
  readonly serving?: ServingOptions | undefined;
}

interface HandlerParts {
  readonly options: HandlerOptions;
  readonly aggregator: Aggregator;
  readonly flows: FlowControl | undefined;
  /** Undefined where nobody can watch invariants. */
  readonly reads: ObservedReads | undefined;
  readonly state: ServerState & Pick<ShutdownState, "rejecting">;
}

export interface Handlers {
  /** For ports, which bound how long requests may take. */
  readonly handle: HttpHandler;
  /** For callers in the same process. */
  readonly handleInProcess: HttpHandler;
  /** Answers what another server of the process was asked about it. @throws StatusError */
  serveProcess(request: ProcessRequest): Promise<Reply>;
}

export function createHandlers(server: ResourceServer, { options, aggregator, flows, state, reads }: HandlerParts): Handlers {
  const { system, storage, objects, conflicts, offload } = server;
  const access = { ...server.access, anonymous: options.authentication?.anonymous };
  const { clock, random, log, metrics } = system;
  const { definitions: registry, store } = storage;
  const { serving = {} } = options;
  const version = versionInfo(options.version, options.platform);
  const { eventLoop } = objects;
  const past = createServeHistory({
    ...{ history: options.history, store, cache: storage.cache, registry, served: storage.served },
    ...{ clock, random, eventLoop, admission: server.admission, authorize: access.authorize },
  });
  const own = createPathRoutes({
    ...createDocuments({ registry, aggregated: aggregator, tokens: access.tokens, clock }, { version: version.gitVersion, state }),
    health: createServerHealth(store, state, options.healthChecks),
    metrics,
    conflicts: conflicts.recent,
    reports: options.reports ?? new Map(),
    endpoints: options.endpoints ?? new Map(),
    timeline: past.timeline,
    pages: options.pages,
    version,
    authorize: access.authorize,
    flows,
  });
  const stages = createStages({
    access,
    observe: { log, metrics, conflicts },
    aggregated: aggregator,
    auditing: options.audit,
    flows,
    ...{ offload, registry, eventLoop, state, clock, random },
    ...{ store, reads },
    serving,
  });
  const paths = options.others === undefined ? own : { serve: pathsOfAll(options.others, own) };
  const servePath = options.first === undefined ? paths.serve : pathsBeside(options.first, own);
  const serveHistory = options.first === undefined ? past.serve : historyBeside(options.first);
  const dispatch = createDispatch({ serveResource: server.serve, serveHistory, servePath });
  const handle = createPipeline({ stages, dispatch, clock, random });
  return {
    handle,
    handleInProcess: withRequestTimeout(handle, { requestTimeoutMs: serving.requestTimeoutMs ?? defaultRequestTimeoutMs, clock, log }),
    serveProcess: async (asked) => {
      const { body = new Uint8Array(0) } = asked;
      const exchange = { request: { ...asked, http1: false, remoteAddress: "" }, query: parseQuery(asked.query), user: asked.user, body };
      const asksPast = historyOf(asked.method, asked.path);
      if (asksPast === undefined) return await paths.serve(exchange, pathRequestOf(asked));
      return wholeReply(await past.serve({ ...exchange, info: asksPast.info, requestId: random.uuid(), warnings: [] }, asksPast.report));
    },
  };
}
