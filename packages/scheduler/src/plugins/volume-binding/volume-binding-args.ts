/** VolumeBindingArgs of kubescheduler.config.k8s.io/v1. */
import { field } from "@coxswain/machinery";
import { type Args, refuseAny } from "../plugin-args.ts";

export interface VolumeBindingArgs {
  /** How long claims and volumes may take to come together. */
  readonly bindTimeoutMs: number;
}

/** @throws Error naming what is wrong */
export function readVolumeBindingArgs({ bindTimeoutSeconds = 600, shape }: Args): VolumeBindingArgs {
  const errors: field.FieldError[] = [];
  if (!(Number(bindTimeoutSeconds) >= 0))
    errors.push(field.invalid("bindTimeoutSeconds", bindTimeoutSeconds, "invalid BindTimeoutSeconds, should not be a negative value"));
  if (shape !== undefined)
    errors.push(field.invalid("shape", shape, "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"));
  refuseAny(errors);
  return { bindTimeoutMs: Number(bindTimeoutSeconds) * 1000 };
}
