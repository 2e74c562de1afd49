/**
 * The user that a request impersonates, by its headers.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
import { badRequest, goQuote } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { HttpRequest } from "../../contracts/http.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

type Headers = HttpRequest["headers"];

/** Undefined for a request that is its sender's own. @throws badRequest() where it says everything of a user but the name */
export function wantedUser(headers: Headers): UserInfo | undefined {
  for (const name in headers) if (name.startsWith(prefix)) return parse(headers);
  return undefined;
}

function parse(headers: Headers): UserInfo | undefined {
  const name = first(headers["impersonate-user"]);
  const uid = first(headers["impersonate-uid"]);
  const groups = valuesOf(headers["impersonate-group"]);
  const extra = Object.keys(headers)
    .filter((header) => header.startsWith(extraPrefix))
    .sort()
    .map((header): [string, readonly string[]] => [unescaped(header.slice(extraPrefix.length)), valuesOf(headers[header]) ?? []]);
  if (name !== "") return { name, uid, groups: groups ?? [], extra: Object.fromEntries(extra) };
  if (uid === "" && groups === undefined && extra.length === 0) return undefined;
  const shown = extra.length === 0 ? "(nil)" : `{${extra.map(([key, values]) => `${goQuote(key)}:${goSyntax(values)}`).join(", ")}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goSyntax(groups)}, Extra:map[string][]string${shown}} without impersonating a user name`,
  );
}

const first = (value: Headers[string]): string => (typeof value === "string" ? value : (value?.[0] ?? ""));

/** Of a header that may be repeated, which Node then joins. */
const valuesOf = (value: Headers[string]): readonly string[] | undefined => (typeof value === "string" ? value.split(", ") : value);

/** Go's `%#v` of a list of strings. */
const goSyntax = (values: readonly string[] | undefined): string =>
  values === undefined ? "[]string(nil)" : `[]string{${values.map(goQuote).join(", ")}}`;

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
