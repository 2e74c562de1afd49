/** One part of a zone's name. @see https://data.iana.org/time-zones/theory.html#naming */
const namePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** What is wrong with the name of a time zone, as Kubernetes words it. */
export function timeZoneProblem(name: string): string[] {
  if (name === "") return ["timeZone must be nil or non-empty string"];
  const unknown = [`unknown time zone ${name}`];
  const parts = name.split("/");
  if (parts.some((part) => part === "." || part === ".." || part.startsWith("-") || !namePart.test(part))) return unknown;
  if (name.toLowerCase() === "local") {
    const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return name === "Local" ? [explicit] : [explicit, ...unknown];
  }
  return isKnown(name) ? [] : unknown;
}

/** Offsets such as `+05` are zones to ECMAScript, but names of no zone. */
function isKnown(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
