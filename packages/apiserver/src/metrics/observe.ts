/** Counts what the pipeline answers. */
import type { ResourceRegistry } from "@coxswain/api";
import type { Reply } from "../contracts/http.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import type { InflightKind } from "./metrics.ts";
import type { RequestSeries } from "./request-series.ts";

/** The request as it may be counted: names that a client may have made up must not become labels of metrics. */
export function countable(info: RequestInfo | undefined, method: string, registry: ResourceRegistry): RequestInfo {
  if (info?.kind === "path") return info;
  const definition = info === undefined ? undefined : registry.find(info.group, info.version, info.resource);
  if (info === undefined || definition === undefined || (info.subresource !== "" && !definition.subresources.has(info.subresource))) {
    return { kind: "path", verb: method.toLowerCase(), path: "", segments: [] };
  }
  return info;
}

export const inflightKind = (method: string): InflightKind => (method === "GET" || method === "HEAD" ? "readOnly" : "mutating");

/** Records the answer: now, or for one that ends when the client likes, once it has ended. */
export function observed(series: RequestSeries, reply: Reply, elapsedSeconds: () => number): Reply {
  const { body, status } = reply;
  if (body.kind !== "stream") {
    series.record(status, elapsedSeconds(), body.kind === "bytes" ? body.bytes.byteLength : undefined);
    return reply;
  }
  return {
    ...reply,
    body: {
      ...body,
      start(sink) {
        series.longRunning++;
        sink.onClose(() => {
          series.longRunning--;
          series.record(status, elapsedSeconds(), undefined);
        });
        return body.start(sink);
      },
    },
  };
}
