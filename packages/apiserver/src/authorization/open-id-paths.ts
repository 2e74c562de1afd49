/** Where others find what they need to check service account tokens by themselves. */
export const openIdPaths = ["/.well-known/openid-configuration", "/openid/v1/jwks"] as const;
