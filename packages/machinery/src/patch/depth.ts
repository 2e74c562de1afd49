import { badRequest } from "../errors/status.ts";

/** Runs a recursive walk over what a client sent. Nesting that exhausts the stack is the client's fault. @throws badRequest() */
export function refuseDepth<T>(walk: () => T): T {
  try {
    return walk();
  } catch (error) {
    throw error instanceof RangeError ? badRequest("exceeded max depth") : error;
  }
}
