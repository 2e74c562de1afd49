import type { Impersonation } from "./kubeconfig.ts";

/**
 * The headers that ask a server to take the request for another's.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  if (user === "") return {};
  const headers: Record<string, string | string[]> = { "impersonate-user": user };
  if (uid !== "") headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = [...groups];
  for (const [key, values] of Object.entries(extra)) headers[`impersonate-extra-${escapeKey(key)}`] = [...values];
  return headers;
}

/** Keys are in lower case by then; what may not stand in a header's name, and the sign of an escape, is escaped. */
const escapeKey = (key: string): string =>
  key.toLowerCase().replace(/[^a-z0-9!#$&'*+.^_`|~-]/gu, (char) => encodeURIComponent(char).replace(/[()]/g, escapeByte));

const escapeByte = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
