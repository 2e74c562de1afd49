/** Where others find what they need to check service account tokens by themselves. */
export const openIdPaths = ["/.well-known/openid-configuration", "/openid/v1/jwks"] as const;

/** What everybody may read, as the role `system:public-info-viewer` has it. */
export const publicPaths: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** What service accounts may read, as the role `system:service-account-issuer-discovery` has it. */
export const issuerPaths: ReadonlySet<string> = new Set(openIdPaths.flatMap((path) => [path, `${path}/`]));
