import { Aggregator } from "../aggregation/aggregator.ts";
import type { AggregationOptions } from "../contracts/aggregation-options.ts";
import type { ProcessPeer } from "../contracts/process-peer.ts";
import type { ResourceMetrics } from "../contracts/resource-metrics.ts";
import { defaultRequestTimeoutMs, type ServingOptions } from "../contracts/serving-options.ts";
import { metricsDefinitions } from "../effects/metrics/definitions.ts";
import type { AuthenticationOptions } from "./create-authentication.ts";
import type { ResourceServer } from "./services.ts";

interface AggregatorSettings {
  readonly aggregation?: AggregationOptions | undefined;
  readonly authentication?: AuthenticationOptions;
  readonly resourceMetrics?: ResourceMetrics;
  readonly serving?: ServingOptions | undefined;
  /** Undefined: this is the server that keeps conditions. */
  readonly first?: ProcessPeer | undefined;
}

export function createAggregator(
  { system, storage, objects, network }: ResourceServer,
  { aggregation, authentication, resourceMetrics, serving, first }: AggregatorSettings,
): Aggregator {
  const { store, cache, served, definitions } = storage;
  return new Aggregator({
    reader: { store, cache, served },
    objects: objects.registry,
    registry: definitions,
    ownUntilThen: resourceMetrics === undefined ? [] : metricsDefinitions(),
    network: { ...network.services, loopback: aggregation?.loopback ?? network.services.loopback },
    aggregation,
    keepsConditions: first === undefined,
    identityNames: authentication?.requestHeader,
    series: system.metrics.aggregation,
    requestTimeoutMs: serving?.requestTimeoutMs ?? defaultRequestTimeoutMs,
    ...system,
  });
}
