/** A resource as it was: read as it is read now, and changed in dry runs alone. */
import { failure, methodNotAllowed, type StatusError } from "@coxswain/machinery";
import type { Revision } from "@coxswain/store";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { createCreate } from "../handlers/create.ts";
import { createGet } from "../handlers/get.ts";
import { createList } from "../handlers/list.ts";
import { createPatch } from "../handlers/patch.ts";
import { createResourceHandler } from "../handlers/serve-resource.ts";
import { createUpdate } from "../handlers/update.ts";
import type { Verbs } from "../handlers/verbs.ts";
import { BodyDecoder } from "../negotiation/body-decoder.ts";
import { GenericRegistry } from "../registry/generic-registry.ts";
import { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { HistoryServices } from "./history-services.ts";
import { momentOf } from "./moment.ts";
import { pastStore } from "./past-store.ts";

/** What the parameters of a request on a past state say of the present. */
const parametersOfNow = ["at", "resourceVersion", "resourceVersionMatch", "watch"];

/**
 * As the same path is answered now, with the ages that things had then. Writes are tried with `dryRun=All`, on the state of that moment
 * by the rules of today, which is what `kubectl diff` asks for. @throws gone() for what is no longer known
 */
export async function servePast(services: HistoryServices, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  const { history, store, cache, registry, served, clock, eventLoop } = services;
  if (info.subresource !== "") throw objectsAlone(info.subresource);
  if (info.verb !== "get" && info.verb !== "list" && !isTried(info, exchange.query)) throw unchangeable();
  const revision = await momentOf(exchange.query, services);
  const at = (await history.timeOf(revision)) ?? clock.now();
  const then = pastStore(store, history, revision);
  const responses = new ResponseWriter({ cache, clock: { now: () => at }, eventLoop });
  const reads = { store: then, clock, responses };
  const verbs: Verbs = {
    ...unchangeableVerbs,
    ...triedVerbs(services, revision, responses),
    get: createGet({ ...reads, contended: undefined }),
    list: createList({ ...reads, cache, eventLoop }),
  };
  const query = new URLSearchParams(exchange.query);
  for (const name of parametersOfNow) query.delete(name);
  return createResourceHandler({ registry, served, verbs, effects: noEffects, limits: undefined })({ ...exchange, query }, info);
}

const isTried = ({ verb }: ResourceRequest, query: URLSearchParams): boolean =>
  (verb === "create" || verb === "update" || verb === "patch") && query.getAll("dryRun").join() === "All";

function triedVerbs(services: HistoryServices, revision: Revision, responses: ResponseWriter): Pick<Verbs, "create" | "update" | "patch"> {
  const { history, cache, served, clock, random, eventLoop, admission } = services;
  const store = { ...pastStore(services.store, history, revision), ...readOnly };
  const registry = new GenericRegistry({ store, cache, served, clock, random, eventLoop, admission });
  const decoder = new BodyDecoder({ served, eventLoop });
  return {
    create: createCreate({ registry, decoder, responses }),
    update: createUpdate({ registry, decoder, responses, clock }),
    patch: createPatch({ registry, served, responses, clock }),
  };
}

const unchangeable = (): StatusError =>
  failure(405, "MethodNotAllowed", "the past cannot be changed: only a dry run of a write is possible here");

const objectsAlone = (subresource: string): StatusError =>
  failure(405, "MethodNotAllowed", `of the past there are objects alone, and no ${subresource} of them`);

const refuse = (): never => {
  throw unchangeable();
};
/** A dry run reaches none of these. */
const readOnly = { write: refuse };
const unchangeableVerbs = {
  watch: () => {
    throw methodNotAllowed();
  },
  delete: refuse,
  deletecollection: refuse,
};
const noEffects = { resource: () => undefined, subresource: () => undefined };
