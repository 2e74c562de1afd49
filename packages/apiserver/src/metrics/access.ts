/**
 * What is counted about who asks, and about whether they may; under Kubernetes' names and with its words, which dashboards show.
 * Each request comes by here: it makes nothing.
 */
import { Histogram } from "@coxswain/machinery";
import type { AccessMetrics, AuthenticationResult, AuthorizationResult, TokenCacheMetrics } from "../contracts/access-metrics.ts";
import { ConfigReloads } from "./config-reloads.ts";
import type { Definers } from "./definers.ts";
import { IssuerSeries } from "./issuers.ts";

/** Seconds, as those below. */
const decisionBounds = Array.from({ length: 15 }, (_, i) => (1 << i) / 1000);
const cacheBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const hour = 3_600;
const day = 24 * hour;
const certificateBounds = [
  0,
  hour / 2,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  30 * day,
  90 * day,
  180 * day,
  360 * day,
];

const decisionTimes = (): Histogram => new Histogram(decisionBounds);

export class AccessSeries implements AccessMetrics {
  readonly authentications: Readonly<Record<AuthenticationResult, Histogram>> = {
    error: decisionTimes(),
    failure: decisionTimes(),
    success: decisionTimes(),
  };
  readonly authorizations: Readonly<Record<AuthorizationResult, Histogram>> = {
    allowed: decisionTimes(),
    denied: decisionTimes(),
    error: decisionTimes(),
    "no-opinion": decisionTimes(),
  };
  /** Requests of users, by what may be said of their names. */
  readonly users = new Map<string, number>();
  readonly certificates = new Histogram(certificateBounds);
  readonly tokens = new TokenCacheSeries();
  readonly issuers = new IssuerSeries();
  /** Requests with tokens of service accounts that are to be renewed. */
  readonly serviceAccountTokens = { valid: 0, stale: 0 };
  readonly authenticationConfig = new ConfigReloads();
  readonly encryptionConfig = new ConfigReloads();
  readonly authorizationConfig = new ConfigReloads();

  recordAuthenticated(userName: string, seconds: number): void {
    this.authentications.success.observe(seconds);
    const shown = shownName(userName);
    this.users.set(shown, (this.users.get(shown) ?? 0) + 1);
  }

  recordNotAuthenticated(result: Exclude<AuthenticationResult, "success">, seconds: number): void {
    this.authentications[result].observe(seconds);
  }

  recordCertificate(remainingSeconds: number): void {
    this.certificates.observe(remainingSeconds);
  }

  recordServiceAccountToken(isStale: boolean): void {
    this.serviceAccountTokens[isStale ? "stale" : "valid"]++;
  }

  recordAuthorization(result: AuthorizationResult, seconds: number): void {
    this.authorizations[result].observe(seconds);
  }
}

export class TokenCacheSeries implements TokenCacheMetrics {
  readonly active = { in_flight: 0, blocked: 0 };
  readonly fetched = { ok: 0, error: 0 };
  readonly hits = new Histogram(cacheBounds);
  readonly misses = new Histogram(cacheBounds);

  /** It takes no time that a clock would show. */
  recordHit(): void {
    this.hits.observe(0);
  }

  recordMiss(seconds: number): void {
    this.misses.observe(seconds);
  }
}

const namedUsers: ReadonlySet<string> = new Set(["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"]);

/** Labels live forever, and anyone may read them: no other name is told. */
const shownName = (name: string): string => (namedUsers.has(name) ? name : name.includes("@") ? "email_id" : "other");

export function exposeAccess({ counter, gauge, histogram }: Definers, access: AccessSeries): void {
  const { users, certificates, tokens, serviceAccountTokens } = access;
  const authentications = byLabel("result", access.authentications);
  const authorizations = byLabel("result", access.authorizations);
  counter(
    "authenticated_user_requests",
    "[ALPHA] Counter of authenticated requests broken out by username.",
    [...users].map(([username, count]) => [{ username }, count] as const),
  );
  counter("authentication_attempts", "[ALPHA] Counter of authenticated attempts.", counted(authentications));
  histogram("authentication_duration_seconds", "[ALPHA] Authentication duration in seconds broken out by result.", authentications);
  histogram(
    "apiserver_client_certificate_expiration_seconds",
    "[ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate a request.",
    [[{}, certificates]],
  );
  counter("serviceaccount_stale_tokens_total", "[ALPHA] Cumulative stale projected service account tokens used", [
    [{}, serviceAccountTokens.stale],
  ]);
  counter("serviceaccount_valid_tokens_total", "[ALPHA] Cumulative valid projected service account tokens used", [
    [{}, serviceAccountTokens.valid],
  ]);
  exposeTokenCache({ counter, gauge, histogram }, tokens);
  counter(
    "authorization_attempts_total",
    "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    counted(authorizations),
  );
  histogram("authorization_duration_seconds", "[ALPHA] Authorization duration in seconds broken out by result.", authorizations);
}

/** Kubernetes says nothing of these. */
const unexplained = "[ALPHA] ";

function exposeTokenCache({ counter, gauge, histogram }: Definers, { active, fetched, hits, misses }: TokenCacheSeries): void {
  const requests = byLabel("status", { hit: hits, miss: misses });
  gauge(
    "authentication_token_cache_active_fetch_count",
    unexplained,
    Object.entries(active).map(([status, count]) => [{ status }, count] as const),
  );
  counter(
    "authentication_token_cache_fetch_total",
    unexplained,
    Object.entries(fetched).flatMap(([status, count]) => (count === 0 ? [] : [[{ status }, count] as const])),
  );
  histogram("authentication_token_cache_request_duration_seconds", unexplained, requests);
  counter("authentication_token_cache_request_total", unexplained, counted(requests));
}

type Times = readonly (readonly [Readonly<Record<string, string>>, Histogram])[];

/** What never was has no series. */
const byLabel = (label: string, histograms: Readonly<Record<string, Histogram>>): Times =>
  Object.entries(histograms).flatMap(([value, histogram]) => (histogram.count === 0 ? [] : [[{ [label]: value }, histogram] as const]));

const counted = (times: Times) => times.map(([labels, { count }]) => [labels, count] as const);
