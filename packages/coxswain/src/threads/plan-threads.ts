/** Which components share a thread, and which have one of their own. */
import type { ThreadComponent } from "./thread-protocol.ts";

/** What `--threads=auto` comes to: a thread costs memory, and work that waits for a processor gains nothing by it. */
export function automaticThreads(processors: number): number {
  if (processors < 2) return 1;
  return processors < 4 ? 2 : 3;
}

/**
 * The components of each thread beside the server's, which counts as one; what is in none of them runs in that.
 * @param components in the order in which they are started
 */
export function planThreads(threads: number, components: readonly ThreadComponent[]): readonly (readonly ThreadComponent[])[] {
  const others = Math.min(threads - 1, components.length);
  if (others <= 0) return [];
  // The last, the nodes, have most to do: they are the first to be on their own.
  const shared = components.length - others + 1;
  return [components.slice(0, shared), ...components.slice(shared).map((one) => [one])];
}
