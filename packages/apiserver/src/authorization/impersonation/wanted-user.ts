/**
 * The user that a request impersonates, by its headers.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
import { badRequest, goQuote } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import { headerValuesOf } from "../../contracts/header-values.ts";
import type { HttpRequest } from "../../contracts/http.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

type Request = Pick<HttpRequest, "headers" | "rawHeaders">;

/** Undefined for a request that is its sender's own. @throws badRequest() where it says everything of a user but the name */
export function wantedUser(request: Request): UserInfo | undefined {
  for (const name in request.headers) if (name.startsWith(prefix)) return parse(request);
  return undefined;
}

function parse(request: Request): UserInfo | undefined {
  const [name = ""] = headerValuesOf(request, "impersonate-user");
  const [uid = ""] = headerValuesOf(request, "impersonate-uid");
  const given = headerValuesOf(request, "impersonate-group");
  const groups = given.length === 0 ? undefined : given;
  const extra = extraOf(request);
  if (name !== "") return { name, uid, groups: groups ?? [], extra: Object.fromEntries(extra) };
  if (uid === "" && groups === undefined && extra.length === 0) return undefined;
  const shown = extra.length === 0 ? "(nil)" : `{${extra.map(([key, values]) => `${goQuote(key)}:${goSyntax(values)}`).join(", ")}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goSyntax(groups)}, Extra:map[string][]string${shown}} without impersonating a user name`,
  );
}

/** By key, in order. Several headers may say the same key, in other escapes: none hides another's values. */
function extraOf(request: Request): readonly (readonly [string, readonly string[]])[] {
  const extra = new Map<string, readonly string[]>();
  for (const header of Object.keys(request.headers).sort()) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = unescaped(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...headerValuesOf(request, header)]);
  }
  return [...extra].sort(([a], [b]) => (a < b ? -1 : 1));
}

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
