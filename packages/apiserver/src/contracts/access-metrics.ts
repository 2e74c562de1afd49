/** What is counted about who asks, and about whether they may. */

/** Whether credentials were good, missing, or bad. */
export type AuthenticationResult = "success" | "failure" | "error";
export type AuthorizationResult = "allowed" | "denied" | "no-opinion" | "error";

/** All times are seconds. */
export interface AccessMetrics {
  /** A request whose user is known. */
  recordAuthenticated(userName: string, seconds: number): void;
  recordNotAuthenticated(result: Exclude<AuthenticationResult, "success">, seconds: number): void;
  /** A request by a certificate that is valid for so long. */
  recordCertificate(remainingSeconds: number): void;
  recordAuthorization(result: AuthorizationResult, seconds: number): void;
  /** A good token of a service account that was to be renewed, or whose time for that is over. */
  recordServiceAccountToken(isStale: boolean): void;
}

/** What came of a token, or of asking for keys. */
export type TokenResult = "success" | "failure";

/** What is counted about issuers of tokens, by their URL. */
export interface IssuerMetrics {
  recordToken(url: string, result: TokenResult, seconds: number): void;
  /** @param keys undefined where there were none. @param at seconds since the epoch */
  recordKeys(url: string, keys: Uint8Array | undefined, at: number): void;
  /** Its keys are no longer asked for. */
  forgetKeys(url: string): void;
}

/** What is counted about a configuration that is followed; times are seconds since the epoch. */
export interface ConfigReloadMetrics {
  /** The document with which the server starts. */
  start(text: string): void;
  succeed(text: string, at: number): void;
  fail(at: number): void;
}

/** What is counted about tokens whose outcome is kept. */
export interface TokenCacheMetrics {
  /** What is looked up right now: for `in_flight` somebody else is asked, `blocked` waits for that. */
  readonly active: { in_flight: number; blocked: number };
  /** What was looked up, by whether it came to a user. */
  readonly fetched: { ok: number; error: number };
  recordHit(): void;
  recordMiss(seconds: number): void;
}
