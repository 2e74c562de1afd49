import type { SeenRequest } from "./seen-request.ts";

/** How a person would say it: `update deployments.apps/status default/web`. */
export function describeRequest({ verb, group, resource, subresource, namespace, name, path }: SeenRequest): string {
  if (verb === "other") return path;
  const what = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
  return [verb, what, [namespace, name].filter((part) => part !== "").join("/")].filter((part) => part !== "").join(" ");
}
