/** Requests without credentials. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests */
import type { AnonymousAuth } from "../contracts/anonymous.ts";
import type { HttpRequest } from "../contracts/http.ts";

/** Whether a request without credentials may be anonymous. */
export function anonymousRequests({ enabled, paths = [] }: AnonymousAuth): (request: Pick<HttpRequest, "path">) => boolean {
  if (!enabled) return () => false;
  if (paths.length === 0) return () => true;
  const allowed = new Set(paths);
  return ({ path }) => allowed.has(path.includes("%") ? decoded(path) : path);
}

/** What cannot be decoded is no path that somebody would have named. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
