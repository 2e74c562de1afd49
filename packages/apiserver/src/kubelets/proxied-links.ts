/** Links of who is behind a proxy, as they lead through it. */
import { goQuote, internalError } from "@coxswain/machinery";
import type { HttpRequest } from "../contracts/http.ts";
import { headerOf } from "../http/exchange.ts";
import { hostOf, type Target } from "./target.ts";

export interface ProxiedPage {
  /** Of the target. */
  readonly host: string;
  /** That the client asked, if it named one. */
  readonly requestHost: string;
  /** Where the proxy's path begins. */
  readonly prefix: string;
  /** What was asked for, as the client would ask for it. */
  readonly uri: string;
}

/** `path` is what the target is asked for, with its query. */
export function proxiedPage(request: HttpRequest, target: Target, path: string): ProxiedPage {
  const [pure = ""] = path.split("?", 1);
  const [asked, given] = [decodeURIComponent(request.path), decodeURIComponent(pure)];
  const prefix = asked.endsWith(given) ? asked.slice(0, asked.length - given.length) : asked;
  const isDefault = target.port === (target.scheme === "https" ? 443 : 80);
  const host = isDefault ? hostOf(target).replace(/:\d+$/, "") : hostOf(target);
  return { host, requestHost: headerOf(request, "host") ?? headerOf(request, ":authority") ?? "", prefix, uri: joined(prefix, pure) };
}

/** Of what leads to the same host. Undefined for what is no URL; what leads elsewhere, or is relative, stays. */
export const proxiedLink = (link: string, page: ProxiedPage): string | undefined =>
  urlProblem(link) === undefined ? through(link, page) : undefined;

function through(link: string, { host, requestHost, prefix }: ProxiedPage): string {
  const { head: whole, authority, path, tail } = split(link);
  const named = withoutUser(authority);
  const isElsewhere = named !== "" && named !== host && named !== requestHost;
  if (isElsewhere || !path.startsWith("/")) return link;
  // Absolute links to where the client has asked stay absolute.
  const head = named !== "" && named === requestHost ? whole : "";
  if (path.startsWith(prefix)) return `${head}${path}${tail}`;
  return `${head}${joined(prefix, path)}${tail}`;
}

/** @throws internalError() for what is none */
export function proxiedLocation(location: string, page: ProxiedPage): string {
  const problem = urlProblem(location);
  if (problem !== undefined) throw internalError(`error trying to parse Location header: parse ${goQuote(location)}: ${problem}`);
  return through(location, page);
}

interface Parts {
  /** Scheme and authority. */
  readonly head: string;
  readonly authority: string;
  readonly path: string;
  /** Query and fragment. */
  readonly tail: string;
}

function split(link: string): Parts {
  const [whole = "", head = "", authority = "", path = ""] = /^((?:[a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?)([^?#]*)/i.exec(link) ?? [];
  return { head, authority, path, tail: link.slice(whole.length) };
}

/** Why it is none, as Go says it; undefined for one. */
function urlProblem(link: string): string | undefined {
  if (/[\x00-\x1f\x7f]/.test(link)) return "net/url: invalid control character in URL";
  const { head, authority, path } = split(link);
  if (/^\[[^\]]*$/.test(withoutUser(authority))) return "missing ']' in host";
  const [broken] = /%(?![\da-f]{2}).{0,2}/i.exec(authority + path) ?? [];
  if (broken !== undefined) return `invalid URL escape ${goQuote(broken)}`;
  if (head !== "") return undefined;
  if (path.startsWith(":")) return "missing protocol scheme";
  return /^[^/]*:/.test(path) ? "first path segment in URL cannot contain colon" : undefined;
}

const withoutUser = (authority: string): string => authority.slice(authority.lastIndexOf("@") + 1);

/** With dots and double slashes resolved; a slash at the end stays. */
function joined(prefix: string, path: string): string {
  const segments: string[] = [];
  for (const segment of `${prefix}/${path}`.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}${path.endsWith("/") ? "/" : ""}`;
}
