/** What a proxied request asks for, as it goes on. */
import type { ResourceRequest } from "../contracts/request-info.ts";

/** Without a query. Empty when nothing follows `/proxy`, not even a slash. */
export function proxiedPath({ rest }: ResourceRequest, path: string): string {
  const slash = path.endsWith("/") ? "/" : "";
  const clean = rest === "" ? "" : new URL(`http://host/${rest.split("/").map(encodeURIComponent).join("/")}`).pathname.replace(/\/$/, "");
  return `${clean.replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent)}${slash}`;
}
