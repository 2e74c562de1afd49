/** Who is asking: the seam that every way of proving it fits. */
import type { HttpRequest } from "../http/exchange.ts";

export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What an authenticator looks at. */
export type IncomingRequest = Pick<HttpRequest, "headers">;

export type Authentication =
  | { readonly kind: "authenticated"; readonly user: UserInfo }
  /** The request carries nothing that this authenticator understands. */
  | { readonly kind: "unclaimed" }
  /** It claims to be somebody and is not: 401, never anonymous. */
  | { readonly kind: "rejected"; readonly reason: string };

/** Answers at once when it can: a promise for each request is what the hot path would feel. */
export type Authenticator = (request: IncomingRequest) => Authentication | Promise<Authentication>;

const everyone = "system:authenticated";

/** Whoever has proven a name is in the group of all who have. */
export function authenticated(user: UserInfo): Authentication {
  return { kind: "authenticated", user: user.groups.includes(everyone) ? user : { ...user, groups: [...user.groups, everyone] } };
}

export const unclaimed: Authentication = { kind: "unclaimed" };

/** Who asks without saying who they are. */
export const anonymous: UserInfo = { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };

/**
 * Asks one after another; the first that knows the user wins. A rejection counts only if nobody later knows the user,
 * so that two kinds of bearer token can stand side by side.
 */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  const [only] = authenticators;
  if (only !== undefined && authenticators.length === 1) return only;
  return async (request) => {
    const reasons: string[] = [];
    for (const authenticate of authenticators) {
      const answer = await authenticate(request);
      if (answer.kind === "authenticated") return answer;
      if (answer.kind === "rejected") reasons.push(answer.reason);
    }
    return reasons.length === 0 ? unclaimed : { kind: "rejected", reason: reasons.join(", ") };
  };
}
