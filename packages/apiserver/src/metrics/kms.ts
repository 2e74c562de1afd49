/**
 * What is counted about key management services, under Kubernetes' names.
 * @see https://kubernetes.io/docs/reference/instrumentation/metrics/
 */
import { Histogram } from "@coxswain/machinery";
import type { Definers } from "./definers.ts";
import { LabelledTimes, timesOf } from "./labelled.ts";

/** Seconds: from a tenth of a millisecond to 52 s. */
const callBounds = Array.from({ length: 20 }, (_, i) => 2 ** i / 10_000);

export class KmsSeries {
  /** Calls, by what is called and how it ended. */
  readonly calls = new LabelledTimes<{ provider_name: string; method_name: string; grpc_status_code: string }>(
    () => new Histogram(callBounds),
  );
}

export function exposeKms({ histogram }: Definers, { calls }: KmsSeries): void {
  if (calls.size === 0) return;
  histogram(
    "apiserver_envelope_encryption_kms_operations_latency_seconds",
    "[ALPHA] KMS operation duration with gRPC error code status total.",
    timesOf(calls),
  );
}
