import type { ResourceRegistry } from "@coxswain/api";
import type { Clock } from "@coxswain/machinery";
import type { HttpRequest } from "../../contracts/http.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { countable, inflightKind, observed } from "../../metrics/observe.ts";
import { notParsed, type Stage } from "../stage.ts";

export interface RequestMetricsOptions {
  readonly metrics: Metrics;
  readonly registry: ResourceRegistry;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Counts requests: those under way, and each with its answer. */
export const requestMetrics = ({ metrics, registry, clock }: RequestMetricsOptions): Stage => ({
  name: "request metrics",
  wrap: (next) => (exchange) => {
    metrics.begin(inflightKind(exchange.request.method));
    return next(exchange);
  },
  finish({ request, info, startedAt }, reply) {
    metrics.end(inflightKind(request.method));
    const series = metrics.requests(countable(info === notParsed ? undefined : info, request.method, registry), flagsOf(request));
    return observed(series, reply, () => (clock.monotonic() - startedAt) / 1000);
  },
});

const flagsOf = ({ headers, query }: HttpRequest): { readonly apply: boolean; readonly dryRun: boolean } => ({
  apply: headers["content-type"] === "application/apply-patch+yaml",
  dryRun: query.includes("dryRun="),
});
