import { anonymous } from "../authentication/authenticator.ts";
import type { Reply } from "../contracts/http.ts";
import { textReply } from "../http/exchange.ts";
import { parseQuery } from "../request/options.ts";
import { parseRequest } from "../request/request-info.ts";
import { notParsed, type PipelineExchange } from "./stage.ts";

interface Sent {
  readonly method?: string;
  /** With its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A request as the stages before the one under test have left it; `parsed` says whether they have found out what it is about. */
export function exchangeOf({ method = "GET", url, headers = {}, body = new Uint8Array(0) }: Sent, parsed = true): PipelineExchange {
  const [path = "", query = ""] = url.split("?");
  return {
    request: { method, path, query, headers, remoteAddress: "", http1: false },
    query: parseQuery(query),
    body,
    unread: undefined,
    reauthenticate: undefined,
    flow: undefined,
    info: parsed ? parseRequest(method, path, false) : notParsed,
    user: anonymous,
    requestId: "1",
    warnings: [],
    startedAt: 0,
  };
}

/** What the stages behind the one under test answer. */
export const answered = (): Promise<Reply> => Promise.resolve(textReply(200, "ok"));
