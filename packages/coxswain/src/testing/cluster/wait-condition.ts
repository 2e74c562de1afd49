/** What a wait is for, in the words of `kubectl wait --for`. */
import type { KubeObject } from "@coxswain/machinery";
import { parseJsonPath, printJsonPathValue, relaxJsonPath } from "@coxswain/schema/jsonpath";

/**
 * Of an object that exists; `delete` alone is about one that does not.
 * @throws TypeError for what is no condition
 * @see https://kubernetes.io/docs/reference/kubectl/generated/kubectl_wait/
 */
export function parseCondition(text: string): (object: KubeObject) => boolean {
  if (text === "create") return () => true;
  const [, kind, rest = ""] = /^(condition|jsonpath)=(.+)$/s.exec(text) ?? [];
  if (kind === "condition") return conditionMatcher(rest);
  if (kind === "jsonpath") return valueMatcher(rest);
  throw new TypeError(`${JSON.stringify(text)} is no condition: create, delete, condition=NAME[=STATUS], jsonpath={EXPRESSION}[=VALUE]`);
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

/** A condition that was observed of an older generation than the object's does not count. */
function conditionMatcher(text: string): (object: KubeObject) => boolean {
  const [name = "", wanted = "true"] = text.split("=", 2).map((part) => part.toLowerCase());
  return (object) => {
    const status = statusOf(object);
    const condition = status.conditions?.find(({ type }) => type?.toLowerCase() === name);
    const observed = condition?.observedGeneration ?? status.observedGeneration;
    if (observed !== undefined && observed < (object.metadata?.generation ?? 0)) return false;
    return condition?.status?.toLowerCase() === wanted;
  };
}

const statusOf = (object: KubeObject): { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number } =>
  "status" in object && typeof object.status === "object" && object.status !== null ? object.status : {};

/** Without a value, that there is anything; with one, that there is exactly this, as text. */
function valueMatcher(text: string): (object: KubeObject) => boolean {
  const [, template = text, wanted] = /^('?\{.*\}'?|[^={]+)(?:=(.*))?$/s.exec(text) ?? [];
  const find = parseJsonPath(relaxJsonPath(template.replace(/^'|'$/g, "")));
  return (object) => {
    const values = find(object).flat();
    if (wanted === undefined) return values.length > 0;
    return values.length === 1 && printJsonPathValue(values[0]) === wanted;
  };
}
