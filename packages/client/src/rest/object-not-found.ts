/**
 * Distinguishes an object that does not exist from a path that does not: a version that is not served any more or not yet, a proxy in
 * between, a namespace or something else that a webhook misses.
 */
import { type GroupResource, isNotFound, isUnexpectedServerError, type StatusError } from "@coxswain/machinery";

/** Whether the server said of this very object that it is not there. What any other 404 is about is unknown. */
export function isObjectNotFound(error: unknown, { group, resource }: GroupResource, name: string): error is StatusError {
  if (!isNotFound(error)) return false;
  const { details } = error.status;
  if (isUnexpectedServerError(error)) return false;
  // Of what several groups serve, Events for instance, the group is left out.
  return details?.name === name && details.kind === resource && (details.group === undefined || details.group === group);
}

/** Undefined where the server says of this very object that it is not there. @throws as the request, any other 404 too */
export async function unlessNotFound<T>(request: Promise<T>, resource: GroupResource, name: string): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isObjectNotFound(error, resource, name)) return undefined;
    throw error;
  }
}
