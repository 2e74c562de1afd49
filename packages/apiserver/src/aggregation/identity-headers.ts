/**
 * In which headers the server says for whom it asks, as the servers behind it believe those who have its certificate.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
 */
import { internalError } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { OutgoingHeaders } from "../kubelets/round-trip.ts";

/** @throws internalError() for a user whom no header can name: another one would be understood */
export function identityHeaders({ name, uid, groups, extra }: UserInfo): OutgoingHeaders {
  const headers: Record<string, string | readonly string[]> = { "x-remote-user": asBytes(name) };
  if (uid !== "") headers["x-remote-uid"] = asBytes(uid);
  if (groups.length > 0) headers["x-remote-group"] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra)) if (values.length > 0) headers[`x-remote-extra-${escaped(key)}`] = values.map(asBytes);
  return headers;
}

/**
 * What a client sends under the names in which identities may be told is not passed on, however it is spelled: some servers
 * take `_` for `-`.
 * @param isIdentity of a name in lower case
 */
export const withoutIdentity = (headers: OutgoingHeaders, isIdentity: (name: string) => boolean): OutgoingHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIdentity(name.toLowerCase().replaceAll("_", "-"))));

/** Headers are bytes, which Node gives and takes as Latin-1. */
function asBytes(value: string): string {
  // Control characters end a header, and what stands at its ends is cut off by whoever reads it.
  if (/[\x00-\x1f\x7f]|^ | $/.test(value)) throw internalError("the user has a name, group or extra value that no header can have");
  return Buffer.from(value).toString("latin1");
}

/** Whatever may not stand in a header's name, as its bytes in percent-encoding. */
const escaped = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
