/** What the kubelet notes at a container, to know it again after its own restart; under the names that other tools know too. */

import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { Container, Pod } from "./pod.ts";

const hashAnnotation = "io.kubernetes.container.hash";
const restartCountAnnotation = "io.kubernetes.container.restartCount";
const messagePathAnnotation = "io.kubernetes.container.terminationMessagePath";
const messagePolicyAnnotation = "io.kubernetes.container.terminationMessagePolicy";
const graceAnnotation = "io.kubernetes.pod.terminationGracePeriod";

export function recordOf(pod: Pod, container: Container, attempt: number): Record<string, string> {
  const { terminationGracePeriodSeconds } = pod.spec ?? {};
  return {
    [hashAnnotation]: hashOf(container),
    [restartCountAnnotation]: String(attempt),
    [messagePathAnnotation]: container.terminationMessagePath ?? "",
    [messagePolicyAnnotation]: container.terminationMessagePolicy ?? "",
    ...(terminationGracePeriodSeconds === undefined ? {} : { [graceAnnotation]: String(terminationGracePeriodSeconds) }),
  };
}

/** Runs something else than is wanted now. One without a record was created by another program: it is left alone. */
export function isOutdated(container: Container, { annotations }: ContainerStatus): boolean {
  const recorded = annotations[hashAnnotation];
  return recorded !== undefined && recorded !== hashOf(container);
}

export interface TerminationMessageRecord {
  readonly path: string;
  readonly fallsBackToLogs: boolean;
}

export const messageRecordOf = ({ annotations }: ContainerStatus): TerminationMessageRecord => ({
  path: annotations[messagePathAnnotation] ?? "",
  fallsBackToLogs: annotations[messagePolicyAnnotation] === "FallbackToLogsOnError",
});

/**
 * Only the name and the image of a container can differ in one Pod. FNV-1a, 32 bits, of the bytes of both as JSON, written as
 * Go shows a list of bytes: so another kubelet on this node finds the containers to be what it wants, too.
 */
function hashOf({ name, image = "" }: Container): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ image, name }));
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`([]uint8)[${bytes.join(" ")}]`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}
