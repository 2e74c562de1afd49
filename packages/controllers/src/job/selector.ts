import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { Job } from "./job-settings.ts";

/** Of the Job's Pods. A selector that cannot be read chooses nothing. */
export function selectorOf({ spec }: Job): LabelSelector {
  try {
    return labelSelectorFromObject(spec?.selector);
  } catch {
    return labelSelectorFromObject(undefined);
  }
}
