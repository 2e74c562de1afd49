/** Where answers may differ from recorded ones, and why; docs/compat.md has the same in words. */

export interface AcceptedDifference {
  readonly requests: RegExp;
  /** As `differences` names them. */
  readonly fields: RegExp;
  readonly reason: string;
}

const anything = /^/;

export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    requests: /nodes\/[^ ]*web[^ ]*\/proxy/,
    fields: /^\/body(\/\d+)?\/headers\/host: /,
    reason: "kubelets are told which node is meant: several may be behind one server",
  },
  { requests: /\/early$/, fields: /^\/headers\/cache-control$/, reason: "hints before an answer take no header from it" },
  { requests: /^a body that is waited for$/, fields: /^\/headers\/cache-control$/, reason: "nor does 100 Continue" },
  { requests: /^(a refused upgrade|an upgrade that fails)$/, fields: /^\/headers\/cache-control$/, reason: "nobody keeps a refusal" },
  { requests: /\/garbage$/, fields: /^\/body\/message$/, reason: "what is wrong with an answer that is no HTTP is told in Node's words" },
  { requests: /\/reset$/, fields: /^\/body\/message$/, reason: "the port from which a server asks is of no use to its client" },
  { requests: /^headers to /, fields: /^\/body\/headers\/x-twice: /, reason: "values of one header are joined, which means the same" },
  { requests: /^HEAD .*\/proxy$/, fields: /^\/headers\/content-length$/, reason: "an empty answer has a length" },
  { requests: /web:(http|https|-1|80a|nothing)\/proxy\/x$/, fields: anything, reason: "the original panics, and hangs up" },
  { requests: /a%zz$/, fields: anything, reason: "every error is a Status" },
  { requests: /\/html/, fields: /^\/headers\/content-length$/, reason: "pages go on while they come" },
  {
    requests: /\/(html\?coding=.*|gzip)$/,
    fields: anything,
    reason: "a coding that the client has not asked for is left to it; the original undoes gzip, and fails where it knows no better",
  },
  {
    requests: /\/no-type$/,
    fields: /^\/headers\/content-type$/,
    reason: "nothing becomes a page by its looks under the API server's name",
  },
  { requests: /\/trailers$/, fields: /^\/(headers\/trailer|trailers)/, reason: "trailers end here" },
  { requests: /\/partial$/, fields: anything, reason: "what has come goes on at once, and then breaks off as it did" },
  { requests: /redirect\?to=http:\/\/user@/, fields: /^\/headers\/location$/, reason: "the rest of a host that is left out means nothing" },
  {
    requests: /^(chunked body|a body that is waited for|over HTTP\/2 with a body)$/,
    fields: /^\/body\/headers\/(transfer-encoding|content-length): /,
    reason: "bodies go on once they are read, with their length",
  },
  { requests: /^larger body/, fields: anything, reason: "bodies go on once they are read, up to the size of an object" },
  {
    requests: /^(WebSocket at .*\?x=1|upgrade with codes)$/,
    fields: /^\/body\/0\/url$/,
    reason: "an upgrade keeps its query, which the original loses",
  },
  {
    requests: /^upgrade with headers$/,
    fields: /^\/body\/0\/headers\/(keep-alive|proxy-authorization|proxy-connection|x-hop|x-remote-\S+|x-twice|connection|te): /,
    reason: "headers of a connection, and those that name users, go on with an upgrade no more than without one",
  },
  {
    requests: /^upgrade with subprotocols$/,
    fields: /^\/body\/0\/headers\/sec-websocket-protocol: /,
    reason: "a token among them is the client's own",
  },
  { requests: /^connection without upgrade$/, fields: anything, reason: "who names no protocol asks for none" },
];
