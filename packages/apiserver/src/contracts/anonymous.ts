/**
 * Whether requests without credentials are those of `system:anonymous`, and which.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests
 */
export interface AnonymousAuth {
  readonly enabled: boolean;
  /** The paths of requests for which it is enabled. Without any it is for all. */
  readonly paths?: readonly string[];
}
