/**
 * What a resource or a subresource does beyond the strategy of its kind, as those who dispatch requests see it. Effects are
 * declared in `effects/`, one file each, and registered by key in `effects/effects.ts`.
 */
import type { ResourceDefinition } from "@coxswain/api";
import type { RequestHandler } from "../contracts/request-context.ts";

/**
 * `object`: an object of the resource or of the subresource, in any form that was asked for; `result`: the same but for Tables,
 * as it is only ever created; `connection`: what another server answers, so that only errors have a form to choose.
 */
export type Answers = "object" | "result" | "connection";

/** An effect is made once for each server, from the services that it needs and no others. */
export interface SubresourceEffect<Services = unknown> {
  /**
   * `GROUP/RESOURCE/SUBRESOURCE`, the group empty for the core; with `*` as group and resource it is for all resources that have
   * the subresource. Its verbs, and its kind for discovery, are among the facts of the resource's definition.
   */
  readonly on: string;
  readonly answers: Answers;
  create(services: Services): RequestHandler;
}

/** Answers requests on a resource of which nothing is stored. */
export interface ResourceEffect<Services = unknown> {
  /** `GROUP/RESOURCE`. */
  readonly on: string;
  /** `create`: nothing else can be done, and without a name; `all`: the handler decides by the verb. */
  readonly verbs: "create" | "all";
  create(services: Services): RequestHandler;
}

export interface ServedSubresource {
  readonly answers: Answers;
  readonly handle: RequestHandler;
}

/** All effects of a server. */
export interface Effects {
  /** Undefined for resources that are stored. */
  resource(definition: ResourceDefinition): RequestHandler | undefined;
  subresource(definition: ResourceDefinition, name: string): ServedSubresource | undefined;
}
