/** Who may do what: the seam that every rule book fits. */
import type { UserInfo } from "../authentication/authenticator.ts";
import { openIdPaths } from "../service-accounts/openid.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes */
export type AuthorizationAttributes = { readonly user: UserInfo; readonly verb: string } & (
  | {
      readonly kind: "resource";
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      /** Empty for the resource itself; so are namespace and name where there is none. */
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: "path"; readonly path: string }
);

export interface Decision {
  readonly kind: "allow" | "deny" | "noOpinion";
  readonly reason: string;
}

/** Answers at once when it can; whoever asks treats "noOpinion" at the end as "deny". */
export type Authorizer = (attributes: AuthorizationAttributes, signal?: AbortSignal) => Decision | Promise<Decision>;

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** What everybody may read, as the role `system:public-info-viewer` has it. */
const publicPaths: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** What service accounts may read, as the role `system:service-account-issuer-discovery` has it. */
const issuerPaths: ReadonlySet<string> = new Set(openIdPaths.flatMap((path) => [path, `${path}/`]));

/**
 * Members of `system:masters` may do everything, everybody else may ask for health and version, and service accounts for
 * what their tokens are checked with.
 */
export const systemMastersAuthorizer: Authorizer = (attributes) => {
  const { groups } = attributes.user;
  if (groups.includes("system:masters")) return allow;
  if (attributes.kind !== "path" || attributes.verb !== "get") return noOpinion;
  const { path } = attributes;
  return publicPaths.has(path) || (groups.includes("system:serviceaccounts") && issuerPaths.has(path)) ? allow : noOpinion;
};
