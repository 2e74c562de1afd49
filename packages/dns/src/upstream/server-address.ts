/** Where other name servers are: as options say it, and as resolv.conf does. */
import { isIP } from "node:net";

/** Where a name server is. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const defaultPort = 53;
/** The resolver of the C library has as many at most. */
const maxLines = 10_000;

/** `10.0.0.1`, `10.0.0.1:5353`, `fd00::1`, `[fd00::1]:5353`, each perhaps after `dns://`; undefined for anything else. */
export function parseServerAddress(text: string): ServerAddress | undefined {
  const address = text.startsWith("dns://") ? text.slice("dns://".length) : text;
  if (isIP(address) !== 0) return { host: address, port: defaultPort };
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon);
  const port = address.slice(colon + 1);
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (colon < 0 || !/^\d{1,5}$/.test(port) || isIP(bare) === 0 || (isIP(bare) === 6) === (bare === host)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? { host: bare, port: number } : undefined;
}

/** The name servers of a resolv.conf, in its order. */
export function nameServersIn(resolvConf: string): ServerAddress[] {
  const found: ServerAddress[] = [];
  for (const line of resolvConf.split("\n", maxLines)) {
    const [keyword, address = ""] = line.trim().split(/\s+/, 2);
    if (keyword === "nameserver" && isIP(address) !== 0) found.push({ host: address, port: defaultPort });
  }
  return found;
}

/** `10.0.0.1:53`, `[fd00::1]:53` */
export const addressText = ({ host, port }: ServerAddress): string => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
