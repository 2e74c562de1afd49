/** What the page says of races: texts alone. */
import type { RaceExchangeRequest, RaceReport } from "@coxswain/machinery";

/** Of the race's own time: as messages of its server have it. */
export const raceTime = (rfc3339: string): string => rfc3339.slice(11, 23);

/** Whether a request is for one version only; empty where that is no question. */
export function conditionOf({ method, path, body }: RaceExchangeRequest): string {
  if (method === "GET" || (method === "POST" && !path.includes("/binding"))) return "";
  const { metadata, preconditions } = (body ?? {}) as { readonly metadata?: Named; readonly preconditions?: Named };
  const resourceVersion = metadata?.resourceVersion ?? preconditions?.resourceVersion;
  if (resourceVersion !== undefined) return `for version ${resourceVersion} only`;
  return (metadata?.uid ?? preconditions?.uid) === undefined ? "for any version" : "for any version of this uid";
}

interface Named {
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export const valueText = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value));

/** Of the object's name on, without what says who writes. */
export const shortPath = (path: string): string => {
  const [own = "", query = ""] = path.split("?");
  const rest = query.split("&").filter((one) => one !== "" && !one.startsWith("fieldManager="));
  return `…/${own.split("/").slice(-2).join("/")}${rest.length === 0 ? "" : `?${rest.join("&")}`}`;
};

/** Empty where the controllers' detector has found none. */
export const hotLoopText = ({ hotLoop }: Pick<RaceReport, "hotLoop">): string =>
  hotLoop === undefined
    ? ""
    : `${hotLoop.writers.join(" and ")} fight over ${hotLoop.field ?? "the object"}: ${hotLoop.writes} writes within ${hotLoop.withinMs / 1_000} s`;
