/** What is counted about conversion webhooks. */
import { Histogram } from "@coxswain/machinery";

export type ConversionFailure =
  | "conversion_webhook_call_failure"
  | "conversion_webhook_malformed_response_failure"
  | "conversion_webhook_partial_response_failure"
  | "conversion_webhook_invalid_converted_object_failure";

export interface ConversionLabels {
  /** Name of the CustomResourceDefinition. */
  readonly crd: string;
  readonly from: string;
  readonly to: string;
  /** Empty for a success. */
  readonly failure: ConversionFailure | "";
}

/** Seconds; Kubernetes counts each call in two histograms with buckets of their own. */
const definitionBounds = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const webhookBounds = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

export class ConversionSeries {
  readonly byDefinition = new Map<string, { readonly labels: ConversionLabels; readonly seconds: Histogram }>();
  readonly byFailure = new Map<ConversionFailure | "", Histogram>();

  record(labels: ConversionLabels, seconds: number): void {
    const { crd, from, to, failure } = labels;
    const key = `${crd} ${from} ${to} ${failure === ""}`;
    const definition = this.byDefinition.get(key) ?? { labels, seconds: new Histogram(definitionBounds) };
    this.byDefinition.set(key, definition);
    definition.seconds.observe(seconds);
    const webhook = this.byFailure.get(failure) ?? new Histogram(webhookBounds);
    this.byFailure.set(failure, webhook);
    webhook.observe(seconds);
  }
}
