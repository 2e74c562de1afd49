/** Everything that is no resource: discovery, OpenAPI, health, version, metrics. */
import { mergeMetricsTexts, methodNotAllowed, stringifyJson, type TimelinePage, unknownPath } from "@coxswain/machinery";
import { openIdPaths } from "../authorization/open-id-paths.ts";
import { conflictsPath, listConflicts } from "../conflicts/conflicts-handler.ts";
import type { RecentConflicts } from "../conflicts/recent-conflicts.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { FlowControl } from "../contracts/flow-control.ts";
import { timelinePath } from "../contracts/history-report.ts";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import type { PathRequest } from "../contracts/request-info.ts";
import type { DiscoveryDocuments } from "../discovery/discovery-documents.ts";
import { answerDiscovery, hasDiscovery } from "../discovery/discovery-handler.ts";
import { bytesReply, headerOf, textReply } from "../http/exchange.ts";
import { expose } from "../metrics/exposition.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { checkRoutable } from "../negotiation/negotiate.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Health } from "./health.ts";
import { type MayGet, type Report, reportOf } from "./reports.ts";
import type { VersionInfo } from "./version.ts";

/** What routes need of a request. */
export type PathExchange = Pick<Exchange, "request" | "query" | "user" | "body">;

export interface PathRoutes {
  serve(exchange: PathExchange, info: PathRequest): Promise<Reply>;
}

/** Makes pages for browsers. */
export type PageSource = (request: HttpRequest, user: UserInfo) => Promise<Reply | undefined>;

export interface PathOptions {
  readonly discovery: DiscoveryDocuments;
  /** Below `/openapi`; undefined for what is not there. */
  readonly openapi: (request: HttpRequest, segments: readonly string[]) => Promise<Reply | undefined>;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly conflicts: RecentConflicts;
  readonly reports: ReadonlyMap<string, Report>;
  /** Below `/coxswain/v1`, by name, whatever the method is. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly timeline: (query: URLSearchParams, user: UserInfo) => Promise<TimelinePage>;
  /** Below `/coxswain/ui`; undefined for what is not there. */
  readonly pages: PageSource | undefined;
  /** Below `/openid` and `/.well-known`; undefined for what is not there. */
  readonly openId: (path: string) => Reply | undefined;
  readonly version: VersionInfo;
  /** Shows what is in its queues. */
  readonly flows: FlowControl | undefined;
  /** What reports show of objects is for those who may read them. */
  readonly authorize: Authorizer;
}

const mayGetOf =
  (authorize: Authorizer, user: UserInfo): MayGet =>
  async (object) => {
    const { kind } = await authorize({ kind: "resource", user, verb: "get", group: "", version: "v1", subresource: "", ...object });
    return kind === "allow";
  };

export function createPathRoutes(options: PathOptions): PathRoutes {
  return {
    async serve({ request, query, user, body }, info) {
      const [first, version, name = "", ...rest] = info.segments;
      if (isBelowBuiltIn(options.discovery, first)) throw unknownPath();
      const depth = info.segments.length;
      const endpoint = first === "coxswain" && version === "v1" ? options.endpoints.get(name) : undefined;
      if (endpoint !== undefined)
        return await endpoint({ method: request.method, headers: request.headers, path: rest, query, user, body });
      if (request.method !== "GET" && request.method !== "HEAD") {
        if (first === undefined) throw unknownPath();
        if (!roots.has(first)) return notFound();
        if (!ofAnyMethod.has(first)) throw methodNotAllowed();
      }
      switch (first) {
        case undefined:
          return json({ paths: pathsOf(options) });
        case "api":
        case "apis": {
          const reply = await answerDiscovery(options.discovery, request, info.segments);
          if (reply !== undefined) return reply;
          // Resources have no HEAD.
          const above = info.segments.slice(0, first === "api" ? 2 : 3);
          if (hasDiscovery(options.discovery, above)) throw methodNotAllowed();
          if (first === "api" || (depth > 2 && options.discovery.isBuiltIn(info.segments[1] ?? ""))) throw unknownPath();
          break;
        }
        case "version":
          checkRoutable(headerOf(request, "accept"), ["application/json"]);
          if (depth === 1) return json(options.version);
          break;
        case "healthz":
        case "livez":
        case "readyz":
          if (info.path.endsWith("/")) break;
          return options.health.serve(first, info.segments.slice(1), query);
        case "coxswain":
          if (info.path === conflictsPath)
            return json(await listConflicts(options.conflicts, query, { authorize: options.authorize, user }));
          if (info.path === timelinePath) return json(await options.timeline(query, user));
          if (info.segments[1] === "ui" && options.pages !== undefined) return (await options.pages(request, user)) ?? notFound();
          if (info.segments[1] === "v1")
            return json(await reportOf(options.reports, info.segments.slice(2), query, mayGetOf(options.authorize, user)));
          break;
        case "metrics":
          if (depth === 1) return metricsReply(options.metrics);
          break;
        case "debug": {
          const shown =
            info.segments[1] === "api_priority_and_fairness" ? options.flows?.dump(info.segments.slice(2).join("/"), query) : undefined;
          if (shown !== undefined) return bytesReply(200, "text/plain; charset=utf-8", Buffer.from(shown));
          break;
        }
        case ".well-known":
        case "openid":
          return options.openId(info.segments.join("/")) ?? notFound();
        case "openapi":
          return (await options.openapi(request, info.segments)) ?? bytesReply(404, "", nothing);
      }
      return notFound();
    },
  };
}

const nothing = new Uint8Array(0);

/** A path with an empty segment is one long segment here. What begins as a built-in group's is the API's to refuse. */
function isBelowBuiltIn(discovery: DiscoveryDocuments, path = ""): boolean {
  const [, root, group = ""] = path.split("/");
  return root === "api" || (root === "apis" && group !== "" && discovery.isBuiltIn(group));
}

const notFound = (): Reply => textReply(404, "404 page not found\n");

const roots = new Set([
  "api",
  "apis",
  "coxswain",
  "debug",
  "version",
  "healthz",
  "livez",
  "readyz",
  "metrics",
  "openapi",
  "openid",
  ".well-known",
]);

/** Kubernetes serves these whatever the method is. */
const ofAnyMethod = new Set(["debug", "healthz", "livez", "readyz", "metrics", "openapi"]);

const pathsOf = ({ discovery, health }: PathOptions): readonly string[] =>
  [...discovery.paths(), ...health.paths, ...openIdPaths, "/metrics", "/openapi/v2", "/openapi/v3", "/version"].sort();

const json = (value: object): Reply => bytesReply(200, "application/json", Buffer.from(`${stringifyJson(value, 2)}\n`));

async function metricsReply(metrics: Metrics): Promise<Reply> {
  const [included, parts] = await Promise.all([metrics.includedText(), metrics.partTexts()]);
  const { contentType, text } = expose(metrics);
  return textReply(200, `${mergeMetricsTexts([text, ...parts])}${included}`, contentType);
}
