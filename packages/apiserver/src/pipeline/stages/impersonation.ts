/**
 * Requests in the name of another user. Nobody is impersonated here, so whoever asks for it is refused: the request must not
 * be served with the rights of the one who sends it.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
import { badRequest, goQuote } from "@coxswain/machinery";
import { notAuthorized } from "../../authorization/forbidden.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { HttpRequest } from "../../contracts/http.ts";
import { headerOf } from "../../http/exchange.ts";

import type { Stage } from "../stage.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

export const impersonation: Stage = {
  name: "impersonation",
  wrap: (next) => (exchange) => {
    refuseImpersonation(exchange.request, exchange.user);
    return next(exchange);
  },
};

/** @throws 403 for a request in the name of another user, 400 where it says everything of that user but the name */
export function refuseImpersonation(request: HttpRequest, user: UserInfo): void {
  for (const name in request.headers) {
    if (!name.startsWith(prefix)) continue;
    refuse(request, user);
    return;
  }
}

function refuse(request: HttpRequest, user: UserInfo): void {
  const name = headerOf(request, "impersonate-user") ?? "";
  if (name !== "")
    throw notAuthorized({ kind: "resource", user, verb: "impersonate", ...impersonated(name) }, "this server impersonates nobody");
  const uid = headerOf(request, "impersonate-uid") ?? "";
  const groups = valuesOf(request, "impersonate-group");
  const extra = Object.keys(request.headers)
    .filter((header) => header.startsWith(extraPrefix))
    .sort()
    .map((header): [string, readonly string[]] => [unescaped(header.slice(extraPrefix.length)), valuesOf(request, header) ?? []]);
  if (uid === "" && groups === undefined && extra.length === 0) return;
  const shown = extra.length === 0 ? "(nil)" : `{${extra.map(([key, values]) => `${goQuote(key)}:${goStrings(values)}`).join(", ")}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${goStrings(groups)}, Extra:map[string][]string${shown}} without impersonating a user name`,
  );
}

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

function impersonated(name: string) {
  const [, namespace, account] = serviceAccount.exec(name) ?? [];
  const common = { group: "", version: "v1", subresource: "" };
  if (namespace === undefined || account === undefined) return { ...common, resource: "users", namespace: "", name };
  return { ...common, resource: "serviceaccounts", namespace, name: account };
}

/** Of a header that may be repeated, which Node then joins. */
function valuesOf({ headers }: HttpRequest, name: string): readonly string[] | undefined {
  const value = headers[name];
  return typeof value === "string" ? value.split(", ") : value;
}

const goStrings = (values: readonly string[] | undefined): string =>
  values === undefined ? "[]string(nil)" : `[]string{${values.map(goQuote).join(", ")}}`;

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
