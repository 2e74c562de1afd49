/** The built-in rule book. */
import type { Authorizer, Decision } from "../contracts/authorizer.ts";
import { openIdPaths } from "../service-accounts/openid.ts";

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
