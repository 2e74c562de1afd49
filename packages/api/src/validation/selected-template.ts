/** What Deployments, ReplicaSets and their like share: a selector that must choose the pods of their template. */
import { field } from "@coxswain/machinery";
import type { PodTemplateSpec } from "@coxswain/types/core-v1";
import type { LabelSelector } from "@coxswain/types/meta-v1";
import type { Errors } from "./checks.ts";
import { isEmptySelector, matchSelector, shownLabels, shownSelector, validateLabelSelector } from "./label-selector.ts";

/** `emptyDetail` is the message for a selector without requirements. */
export function validateSelector(out: Errors, selector: Readonly<LabelSelector> | undefined, emptyDetail: string): void {
  if (!selector) return void out.push(field.required("spec.selector"));
  validateLabelSelector(out, "spec.selector", selector);
  if (isEmptySelector(selector)) out.push(field.invalid("spec.selector", shownSelector(selector), emptyDetail));
}

/** An empty selector says nothing of the template. Returns false when the selector is none, so that nothing more can be said. */
export function validateSelected(
  out: Errors,
  selector: Readonly<LabelSelector> | undefined,
  template: Readonly<PodTemplateSpec> | undefined,
  malformedDetail: string,
): boolean {
  const labels = template?.metadata?.labels;
  const match = matchSelector(selector, labels);
  if (match === "malformed") out.push(field.invalid("spec.selector", shownSelector(selector), malformedDetail));
  else if (match === "differs") {
    out.push(field.invalid("spec.template.metadata.labels", shownLabels(labels), "`selector` does not match template `labels`"));
  }
  return match !== "malformed";
}
