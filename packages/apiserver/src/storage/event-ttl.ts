import type { ResourceDefinition } from "@coxswain/api";

/** How long an Event is kept after it was last written: the default of the original's `--event-ttl`. */
export const eventTtlSeconds = 3_600;

/** Undefined for what stays until it is deleted. */
export const ttlSecondsOf = ({ group, resource }: ResourceDefinition): number | undefined =>
  resource === "events" && (group === "" || group === "events.k8s.io") ? eventTtlSeconds : undefined;

/** Whether a key of the store is that of an Event. */
export const isEventKey = (key: string): boolean => key.startsWith("/registry/events/");
