/**
 * `GET /coxswain/v1/moment?at=`, and `/coxswain/v1/past/PATH?at=`, `/coxswain/v1/history/PATH` and `/coxswain/v1/blame/PATH`, where PATH is
 * that of an object or, of the past, a list: whoever may read it now may read what it was.
 */
import { badRequest, methodNotAllowed, type ObjectBlame, type ObjectHistoryReport, unknownPath } from "@coxswain/machinery";
import type { Exchange } from "../contracts/exchange.ts";
import type { HistoryReport } from "../contracts/history-report.ts";
import type { Reply } from "../contracts/http.ts";
import { bytesReply } from "../http/exchange.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { HistoryServices } from "./history-services.ts";
import { describeMoment, known } from "./moment.ts";
import { blameOf, historyOf } from "./object-reports.ts";
import { servePast } from "./serve-past.ts";

export async function serveHistory(services: HistoryServices, exchange: Exchange, report: HistoryReport): Promise<Reply> {
  const { info } = exchange;
  if (report === "moment") return servedMoment(services, exchange);
  if (info.kind !== "resource") throw unknownPath();
  if (report === "past") return known(servePast(services, exchange, info));
  if (info.subresource !== "") throw unknownPath();
  if (info.verb !== "get" && info.verb !== "list") throw methodNotAllowed();
  if (info.verb === "list") throw badRequest("the name of one object is needed");
  const resource = services.served.find(info.group, info.version, info.resource);
  if (resource === undefined) throw unknownPath();
  const object = { resource, key: keyOf(resource, resource.definition.namespaced ? info.namespace : "", info.name), info };
  const made = report === "history" ? historyOf(services, exchange, object) : blameOf(services, exchange, object);
  return json(await known<ObjectHistoryReport | ObjectBlame>(made));
}

async function servedMoment(services: HistoryServices, { request, query }: Exchange): Promise<Reply> {
  if (request.method !== "GET") throw methodNotAllowed();
  return json(await known(describeMoment(query, services)));
}

const json = (report: object): Reply => bytesReply(200, "application/json", Buffer.from(`${JSON.stringify(report, undefined, 2)}\n`));
