/** What is counted about admission webhooks. */
import { Histogram } from "@coxswain/machinery";
import { LabelledCounts, LabelledTimes } from "./labelled.ts";

/** As Kubernetes' metrics call the two plugins. */
export type WebhookType = "admit" | "validating";

// A type, not an interface: what is exposed has any labels.
export type WebhookLabels = {
  readonly name: string;
  readonly type: WebhookType;
  /** As in rules: `CREATE`. */
  readonly operation: string;
};

export type RejectionType = "no_error" | "calling_webhook_error" | "apiserver_internal_error";

/** How a call ended. */
export interface WebhookOutcome {
  readonly seconds: number;
  /** Of the answer, or of the failure. */
  readonly code: number;
  /** Undefined when the request goes on. */
  readonly rejection?: RejectionType | undefined;
}

/** What is counted: a call, a failure that was ignored, a request that conditions have excluded. */
export type WebhookEvent =
  | { readonly type: "call"; readonly labels: WebhookLabels; readonly outcome: WebhookOutcome }
  | { readonly type: "fail open"; readonly labels: Omit<WebhookLabels, "operation"> }
  | { readonly type: "exclusion"; readonly labels: WebhookLabels };

/** Seconds. */
const durationBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Codes beyond are none: labels live forever. */
const maxCode = 600;

export class AdmissionWebhookSeries {
  readonly durations = new LabelledTimes<WebhookLabels & { readonly rejected: string }>(() => new Histogram(durationBounds));
  readonly requests = new LabelledCounts<WebhookLabels & { readonly code: string; readonly rejected: string }>();
  readonly rejections = new LabelledCounts<WebhookLabels & { readonly error_type: RejectionType; readonly rejection_code: string }>();
  readonly failedOpen = new LabelledCounts<Omit<WebhookLabels, "operation">>();
  readonly exclusions = new LabelledCounts<WebhookLabels & { readonly kind: string }>();

  count(event: WebhookEvent): void {
    switch (event.type) {
      case "call":
        this.#record(event.labels, event.outcome);
        break;
      case "fail open":
        this.failedOpen.add(event.labels);
        break;
      case "exclusion":
        this.exclusions.add({ ...event.labels, kind: "webhook" });
    }
  }

  #record({ name, type, operation }: WebhookLabels, { seconds, code, rejection }: WebhookOutcome): void {
    const rejected = String(rejection !== undefined);
    this.durations.observe({ name, type, operation, rejected }, seconds);
    const shown = String(Math.min(code, maxCode));
    this.requests.add({ name, type, operation, code: shown, rejected });
    if (rejection !== undefined) this.rejections.add({ name, type, operation, error_type: rejection, rejection_code: shown });
  }
}
