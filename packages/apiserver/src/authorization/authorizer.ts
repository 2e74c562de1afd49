/** The built-in rule book. */
import type { Authorizer, Decision } from "../contracts/authorizer.ts";
import { issuerPaths, publicPaths } from "./public-paths.ts";

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };

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
