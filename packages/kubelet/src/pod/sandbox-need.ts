/** Whether the Pod needs a sandbox that it does not have. */
import type { PodState } from "./pod-state.ts";

export interface SandboxNeed {
  readonly isNeeded: boolean;
  /** Of the one that is there, or is to be made. */
  readonly attempt: number;
  /** The newest there is. */
  readonly id: string | undefined;
}

/** None, more than one, or the newest of them ended: all are reasons to make a new one. */
export function sandboxNeed({ sandboxes }: PodState): SandboxNeed {
  const [newest] = sandboxes;
  if (newest === undefined) return { isNeeded: true, attempt: 0, id: undefined };
  const isNeeded = !newest.ready || sandboxes.filter(({ ready }) => ready).length > 1;
  return { isNeeded, attempt: isNeeded ? newest.attempt + 1 : newest.attempt, id: newest.id };
}
