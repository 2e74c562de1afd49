/**
 * Groups of the community need a word on who approved the API.
 * @see https://github.com/kubernetes/enhancements/pull/1111
 */
import { type FieldError, field, goQuote, parseRequestUrl } from "@coxswain/machinery";
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@coxswain/types/apiextensions-v1";

const annotation = "api-approved.kubernetes.io";

type Approval = Readonly<{ state: "missing" | "bypassed" | "approved" | "invalid"; reason: string }>;

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

const annotationOf = ({ metadata }: Readonly<CustomResourceDefinition>): string => metadata?.annotations?.[annotation] ?? "";

/** Absolute, with a host. */
function isUrl(text: string): boolean {
  const url = parseRequestUrl(text);
  return typeof url !== "string" && url.scheme !== "" && url.host !== "";
}

function approvalOf(crd: Readonly<CustomResourceDefinition>): Approval {
  const text = annotationOf(crd);
  const needed = `protected groups must have approval annotation ${goQuote(annotation)}`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (text === "") return { state: "missing", reason: `${needed}, ${see}` };
  if (text.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${goQuote(text)}` };
  if (isUrl(text)) return { state: "approved", reason: `approved in ${text}` };
  return { state: "invalid", reason: `${needed} with either a URL or a reason starting with "unapproved", ${see}` };
}

/** Whoever leaves the annotation as good or bad as it was need not repair it. */
export function validateApproval(crd: Readonly<CustomResourceDefinition>, prev?: Readonly<CustomResourceDefinition>): FieldError[] {
  if (!isProtected(crd.spec?.group ?? "")) return [];
  const { state, reason } = approvalOf(crd);
  if (prev !== undefined && approvalOf(prev).state === state) return [];
  const path = `metadata.annotations[${annotation}]`;
  if (state === "missing") return [field.required(path, reason)];
  return state === "invalid" ? [field.invalid(path, annotationOf(crd), reason)] : [];
}

const conditions = {
  missing: { status: "False", reason: "MissingAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  approved: { status: "True", reason: "ApprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
} as const;

/** What the controller notes about it, without a time; undefined for the groups of all others. */
export function apiApprovalCondition(crd: Readonly<CustomResourceDefinition>): CustomResourceDefinitionCondition | undefined {
  if (!isProtected(crd.spec?.group ?? "")) return undefined;
  const { state, reason } = approvalOf(crd);
  return { type: "KubernetesAPIApprovalPolicyConformant", ...conditions[state], message: reason };
}
