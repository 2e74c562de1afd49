export * from "./authn/authenticator.ts";
export * from "./authn/bearer-token.ts";
export * from "./authn/token-file.ts";
export * from "./authz/authorizer.ts";
export * from "./authz/forbidden.ts";
export * from "./metrics/metrics.ts";
