/** What is asked of one of several servers, and is about their process: its first one answers. */
import type { ConflictList } from "@coxswain/machinery";
import { conflictsPath } from "../conflicts/conflicts-handler.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import type { ProcessPeer } from "../contracts/process-peer.ts";
import type { PathRequest } from "../contracts/request-info.ts";
import { parseRequest } from "../request/request-info.ts";
import type { PathRoutes } from "./paths.ts";

const roots: ReadonlySet<string | undefined> = new Set([undefined, "coxswain", "healthz", "livez", "metrics", "readyz"]);

export const pathsBeside =
  (first: ProcessPeer, own: PathRoutes): PathRoutes["serve"] =>
  (exchange, info) => {
    if (!roots.has(info.segments[0])) return own.serve(exchange, info);
    const { method, path, query, headers } = exchange.request;
    const body = exchange.body.byteLength === 0 ? {} : { body: exchange.body };
    return first.serve({
      method,
      path,
      query,
      headers: passed(headers, ["accept", "content-type", "sec-fetch-site"]),
      user: exchange.user,
      ...body,
    });
  };

const passed = (headers: HttpRequest["headers"], names: readonly string[]): HttpRequest["headers"] =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/** Of the first: what all of them remember of conflicts, newest first. */
export const pathsOfAll =
  (others: () => readonly ProcessPeer[], own: PathRoutes): PathRoutes["serve"] =>
  async (exchange, info) => {
    const { method, path, query } = exchange.request;
    const reply = await own.serve(exchange, info);
    if (info.path !== conflictsPath || reply.status !== 200) return reply;
    const asked = others().map((other) => other.serve({ method, path, query, headers: {}, user: exchange.user }));
    const lists = [reply, ...(await Promise.all(asked)).filter(({ status }) => status === 200)].map(conflictsOf);
    const items = lists.flatMap((list) => list.items).sort((one, other) => (one.at < other.at ? 1 : -1));
    const limit = Number(exchange.query.get("limit") ?? "") || Number.POSITIVE_INFINITY;
    const merged: ConflictList = { kind: "ConflictList", apiVersion: "coxswain/v1", items: items.slice(0, limit) };
    return { ...reply, body: { kind: "bytes", bytes: Buffer.from(`${JSON.stringify(merged, undefined, 2)}\n`) } };
  };

function conflictsOf({ body }: Reply): ConflictList {
  if (body.kind !== "bytes") throw new Error("a list of conflicts comes whole");
  return JSON.parse(Buffer.from(body.bytes).toString()) as ConflictList;
}

/** The first server has the history: it answers those who may ask, as this one has found out. */
export const historyBeside =
  (first: ProcessPeer) =>
  ({ request: { method, path, query, headers }, body, user }: Exchange): Promise<Reply> =>
    first.serve({ method, path, query, headers: passed(headers, ["accept", "content-type"]), user, body });

/** As it goes from thread to thread. */
export function wholeReply(reply: Reply): Reply {
  const { body } = reply;
  if (body.kind !== "chunks") return reply;
  return { ...reply, body: { kind: "bytes", bytes: Buffer.concat([...body.chunks].map((chunk) => new Uint8Array(chunk))) } };
}

/** @throws badRequest() */
export function pathRequestOf({ method, path }: Pick<HttpRequest, "method" | "path">): PathRequest {
  const info = parseRequest(method, path, false);
  if (info.kind !== "path") throw new Error(`${path} is that of a resource`);
  return info;
}
