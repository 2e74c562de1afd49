/** Who is asking: the seam that every way of proving it fits. */
import type { HttpRequest } from "./http.ts";

/** A user as Kubernetes knows one: by name, with groups and whatever else an authenticator adds. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What an authenticator looks at. */
export interface IncomingRequest
  extends Pick<HttpRequest, "headers" | "rawHeaders" | "clientCertificate">,
    Partial<Pick<HttpRequest, "method" | "path" | "query">> {
  /** The audiences that a token must have, for a review on behalf of another server; by default, this server. */
  readonly audiences?: readonly string[];
}

/** What an authenticator finds out about a request. */
export type Authentication =
  /**
   * `audiences` are those of the request that the credentials are made out to. `again` is there where stored objects vouch for them: what
   * these say by then.
   */
  | {
      readonly kind: "authenticated";
      readonly user: UserInfo;
      readonly audiences?: readonly string[];
      readonly again?: () => Promise<Authentication>;
    }
  /** The request carries nothing that this authenticator understands. */
  | { readonly kind: "unclaimed" }
  /** Its credentials are invalid: 401, never anonymous. */
  | { readonly kind: "rejected"; readonly reason: string };

/** Answers at once when it can: a promise for each request is what the hot path would feel. */
export type Authenticator = (request: IncomingRequest) => Authentication | Promise<Authentication>;
