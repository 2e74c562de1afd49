/** What the server says of itself: discovery, OpenAPI, the keys of its tokens, and whether it is well. */
import type { ResourceRegistry } from "@coxswain/api";
import type { Clock } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { AggregatedVersions } from "../discovery/aggregated-versions.ts";
import { DiscoveryDocuments } from "../discovery/discovery-documents.ts";
import type { AggregatedOpenApi } from "../openapi/aggregated-openapi.ts";
import { OpenApiDocuments } from "../openapi/openapi-documents.ts";
import { answerOpenApi } from "../openapi/openapi-handler.ts";
import { createHealth, type Health, type HealthCheck } from "../routes/health.ts";
import type { PathOptions } from "../routes/paths.ts";
import { answerOpenId } from "../service-accounts/openid.ts";
import type { ServiceAccountTokens } from "../service-accounts/tokens.ts";

/** Changes while the server runs. */
export interface ServerState {
  readonly stopping: boolean;
  /** At which clients reach the server: a host with its port. */
  readonly address: string;
}

interface DocumentServices {
  readonly registry: ResourceRegistry;
  readonly aggregated: { readonly versions: AggregatedVersions; readonly openapi: AggregatedOpenApi };
  readonly tokens: ServiceAccountTokens;
  readonly clock: Clock;
}

/** @param about.version what `/version` calls gitVersion */
export function createDocuments(
  { registry, aggregated, tokens, clock }: DocumentServices,
  { version, state }: { readonly version: string; readonly state: ServerState },
): Pick<PathOptions, "discovery" | "openapi" | "openId"> {
  const openapi = new OpenApiDocuments(registry, { version, aggregated: aggregated.openapi });
  return {
    discovery: new DiscoveryDocuments(registry, {
      aggregated: aggregated.versions,
      get serverAddress() {
        return state.address;
      },
    }),
    openapi: (request, segments) => answerOpenApi(openapi, request, segments, clock.now()),
    openId: (path) => answerOpenId(tokens, path, state.address),
  };
}

export function createServerHealth(store: Store, state: ServerState, others: readonly HealthCheck[] = []): Health {
  const isWell = async (): Promise<boolean> => (await isReadable(store)) && store.writeFailure === undefined;
  return createHealth([
    { name: "ping", ok: () => true },
    { name: "log", ok: () => true },
    { name: "etcd", ok: isWell },
    { name: "etcd-readiness", only: "readyz", ok: isWell },
    { name: "informer-sync", only: "readyz", ok: () => true },
    { name: "shutdown", only: "readyz", ok: () => !state.stopping },
    ...others,
  ]);
}

async function isReadable(store: Store): Promise<boolean> {
  await store.freshen?.();
  await store.get("/registry/health");
  return true;
}
