/** Where a request comes from, as its connection and the proxies before it say. */
import { isIP } from "node:net";
import type { HttpRequest } from "../contracts/http.ts";

/** Those that X-Forwarded-For names, then X-Real-Ip, last the other end of the connection; none twice at the end. */
export function sourceIpsOf({ headers, remoteAddress }: Pick<HttpRequest, "headers" | "remoteAddress">): readonly string[] {
  const remote = plain(remoteAddress);
  const forwarded = headers["x-forwarded-for"];
  const real = headers["x-real-ip"];
  if (forwarded === undefined && real === undefined) return isIP(remote) === 0 ? [] : [remote];
  const found = first(forwarded)
    .split(",")
    .map((part) => plain(part.trim()))
    .filter((part) => isIP(part) !== 0);
  const realIp = plain(first(real));
  if (isIP(realIp) !== 0 && !found.includes(realIp)) found.push(realIp);
  if (isIP(remote) !== 0 && found.at(-1) !== remote) found.push(remote);
  return found;
}

const first = (value: string | readonly string[] | undefined): string => (typeof value === "string" ? value : (value?.[0] ?? ""));

/** An IPv4 address of a socket of both kinds is that of IPv4. */
const plain = (address: string): string => (address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address);
