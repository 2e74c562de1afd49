/** What a proxied request asks for, as it goes on. */
import type { ResourceRequest } from "../contracts/request-info.ts";

/** Without a query. Empty when nothing follows `/proxy`, not even a slash. */
export function proxiedPath({ rest }: ResourceRequest, path: string): string {
  if (rest === "") return path.endsWith("/") ? "/" : "";
  const { pathname } = new URL(`http://host/${rest.split("/").map(encodeURIComponent).join("/")}`);
  const clean = pathname.replace(/\/$/, "");
  const encoded = clean.replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent).replace(/[!'()*]/g, percentEncoded);
  return `${encoded}${path.endsWith("/") || clean === "" ? "/" : ""}`;
}

/** What `encodeURIComponent` leaves as it is, and Go does not. */
const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
