import type { FieldError } from "@coxswain/machinery";
import type { Pod } from "../../../types/core-v1.ts";
import { dropToleratedErrors } from "../../../validation/ratcheting.ts";
import { validatePodResize } from "./resize.ts";
import { validateEphemeralContainersUpdate } from "./update-validation.ts";
import { validatePod } from "./validation.ts";

const validateSame = (next: Readonly<Pod>, prev: Readonly<Pod>): readonly FieldError[] =>
  dropToleratedErrors(validatePod(next), () => validatePod(prev));

/** What writes through a pod's own subresources must hold to, once everything else in the pod is as it was. */
export const podSubresourceRules: Readonly<
  Record<"ephemeralcontainers" | "resize", (next: Readonly<Pod>, prev: Readonly<Pod>) => readonly FieldError[]>
> = {
  ephemeralcontainers: (next, prev) => [...validateSame(next, prev), ...validateEphemeralContainersUpdate(next, prev)],
  resize: (next, prev) => [...validateSame(next, prev), ...validatePodResize(next, prev)],
};
