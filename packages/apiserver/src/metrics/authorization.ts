/** What is counted about who decides what users may do. */
import { Histogram } from "@coxswain/machinery";
import type { AuthorizationEvent, AuthorizationMetrics, DecisionSeries } from "../contracts/metrics.ts";
import type { Definers } from "./definers.ts";
import { LabelledCounts, LabelledTimes, timesOf, valuesOf } from "./labelled.ts";

// Types, not interfaces: what is exposed has any labels.
type Webhook = { readonly name: string; readonly result: string };
type Conditions = { readonly type: string; readonly name: string };

/** Seconds. */
const matchBounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const webhookBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class AuthorizationSeries implements AuthorizationMetrics {
  readonly decisions = new Map<string, DecisionSeries>();
  readonly evaluations = new LabelledCounts<Webhook>();
  readonly durations = new LabelledTimes<Webhook>(() => new Histogram(webhookBounds));
  readonly failedOpen = new LabelledCounts<Webhook>();
  readonly matchTimes = new LabelledTimes<Conditions>(() => new Histogram(matchBounds));
  readonly matchErrors = new LabelledCounts<Conditions>();
  readonly exclusions = new LabelledCounts<Conditions>();

  decisionsOf(type: string, name: string): DecisionSeries {
    const key = `${type} ${name}`;
    const known = this.decisions.get(key) ?? { type, name, allowed: 0, denied: 0 };
    this.decisions.set(key, known);
    return known;
  }

  count(event: AuthorizationEvent): void {
    switch (event.type) {
      case "evaluation": {
        const { name, result, seconds } = event;
        this.evaluations.add({ name, result });
        this.durations.observe({ name, result }, seconds);
        break;
      }
      case "fail open":
        this.failedOpen.add({ name: event.name, result: event.result });
        break;
      case "match": {
        const labels = { type: "Webhook", name: event.name };
        this.matchTimes.observe(labels, event.seconds);
        if (event.outcome === "failed") this.matchErrors.add(labels);
        if (event.outcome === "excluded") this.exclusions.add(labels);
      }
    }
  }
}

export function exposeAuthorization({ counter, histogram }: Definers, series: AuthorizationSeries): void {
  counter(
    "apiserver_authorization_decisions_total",
    "Decisions that ended the question what a user may do, by authorizer and decision.",
    [...series.decisions.values()].flatMap(({ type, name, allowed, denied }) => [
      ...(allowed === 0 ? [] : [[{ type, name, decision: "allowed" }, allowed] as const]),
      ...(denied === 0 ? [] : [[{ type, name, decision: "denied" }, denied] as const]),
    ]),
  );
  if (series.matchTimes.size > 0) {
    const about = "of the conditions of webhooks for authorization";
    histogram(
      "apiserver_authorization_match_condition_evaluation_seconds",
      `Seconds for an evaluation ${about}.`,
      timesOf(series.matchTimes),
    );
    counter(
      "apiserver_authorization_match_condition_evaluation_errors_total",
      `Failed evaluations ${about}.`,
      valuesOf(series.matchErrors),
    );
    counter("apiserver_authorization_match_condition_exclusions_total", `Requests excluded by one ${about}.`, valuesOf(series.exclusions));
  }
  if (series.durations.size === 0) return;
  counter(
    "apiserver_authorization_webhook_evaluations_total",
    "Calls of webhooks for authorization, by result.",
    valuesOf(series.evaluations),
  );
  histogram("apiserver_authorization_webhook_duration_seconds", "Seconds that webhooks for authorization took.", timesOf(series.durations));
  counter(
    "apiserver_authorization_webhook_evaluations_fail_open_total",
    "Failures of webhooks for authorization after which others decided.",
    valuesOf(series.failedOpen),
  );
}
