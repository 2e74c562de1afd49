/** When a kubelet asks for its next certificate. @see https://kubernetes.io/docs/tasks/tls/certificate-rotation/ */
import { X509Certificate } from "node:crypto";
import { type Clock, sleep } from "@coxswain/machinery";
import { dayMs } from "@coxswain/pki/node";

/** When between 70 and 90 % of its time are over. Milliseconds since the epoch. */
export function rotationTime(cert: string, chance: number): number {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return from + (to - from) * (0.7 + 0.2 * chance);
}

/** @throws what `signal` says */
export async function sleepUntil(clock: Clock, at: number, signal: AbortSignal): Promise<void> {
  // Timers of a process take no more than 24 days.
  for (let left = at - clock.now(); left > 0; left = at - clock.now()) await sleep(clock, Math.min(left, dayMs), signal);
}
