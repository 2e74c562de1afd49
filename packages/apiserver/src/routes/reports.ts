/** `/coxswain/v1/NAME/…`: reports of other components of the process, behind the same authorisation as everything else. */
import { notFound } from "@coxswain/machinery";

/** An object, by default of the core group; without a name, all of them. */
export interface AskedObject {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Whether who asks may `get` an object, beside the path. */
export type MayGet = (object: AskedObject) => Promise<boolean>;

/**
 * Makes the object that a path below the report's name shows.
 * @param path what follows the report's name; undefined for what there is no report about
 */
export type Report = (path: readonly string[], query: URLSearchParams, mayGet: MayGet) => Promise<object | undefined>;

/** @throws notFound() */
export async function reportOf(
  reports: ReadonlyMap<string, Report>,
  [name = "", ...path]: readonly string[],
  query: URLSearchParams,
  mayGet: MayGet,
): Promise<object> {
  const report = await reports.get(name)?.(path, query, mayGet);
  if (report === undefined) throw notFound({ group: "coxswain", resource: name }, path.join("/"));
  return report;
}
