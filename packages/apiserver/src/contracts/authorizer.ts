/** Who may do what: the seam that every rule book fits. */
import type { FieldRequirement, LabelRequirement } from "@coxswain/machinery";
import type { UserInfo } from "./authenticator.ts";

/**
 * What a rule book decides about: who wants to do what to which resource or path.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes
 */
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
      /** Of a list, a watch or a deletion of many; undefined for everything else, and for one that cannot be read. */
      readonly fieldSelector?: readonly FieldRequirement[] | undefined;
      /** As `fieldSelector`. */
      readonly labelSelector?: readonly LabelRequirement[] | undefined;
    }
  | { readonly kind: "path"; readonly path: string }
);

/** What one rule book says; `reason` is for whoever is refused. */
export interface Decision {
  readonly kind: "allow" | "deny" | "noOpinion";
  readonly reason: string;
  /** What kept an authorizer from knowing, where something did: who is not allowed then gets 500. */
  readonly error?: string;
}

/** Answers at once when it can; whoever asks treats "noOpinion" at the end as "deny". */
export type Authorizer = (attributes: AuthorizationAttributes, signal?: AbortSignal) => Decision | Promise<Decision>;
