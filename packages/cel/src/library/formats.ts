/** What values of CustomResourceDefinitions' and Kubernetes' own formats look like. */
import {
  requestUrlProblem,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from "@coxswain/machinery";

/** A format that texts can be checked against. */
export interface NamedFormat {
  /** Two formats are equal when this is. */
  readonly name: string;
  /** What is wrong; nothing when the text is fine. */
  readonly check: (text: string) => readonly string[];
  /** How long a pattern that checks it would be; counts as cost. */
  readonly patternLength: number;
}

/** A prefix to which a random suffix will be added may end with a dash. */
const asPrefix = (check: (text: string) => readonly string[]) => (text: string) => check(text.replace(/.-$/s, "a"));

const only = (isValid: (text: string) => boolean, problem: string) => (text: string) => (isValid(text) ? [] : [problem]);

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const time = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/;
/** Of the pattern for a time in the Go package that Kubernetes uses. */
const timePatternLength = 71;

/** The named formats, by the name of the function that returns each. */
export const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", { name: "DNS1123Label", check: validateDns1123Label, patternLength: 30 }],
  ["dns1123Subdomain", { name: "DNS1123Subdomain", check: validateDns1123Subdomain, patternLength: 60 }],
  ["dns1035Label", { name: "DNS1035Label", check: validateDns1035Label, patternLength: 30 }],
  ["qualifiedName", { name: "QualifiedName", check: validateQualifiedName, patternLength: 60 }],
  ["dns1123LabelPrefix", { name: "DNS1123LabelPrefix", check: asPrefix(validateDns1123Label), patternLength: 30 }],
  ["dns1123SubdomainPrefix", { name: "DNS1123SubdomainPrefix", check: asPrefix(validateDns1123Subdomain), patternLength: 60 }],
  ["dns1035LabelPrefix", { name: "DNS1035LabelPrefix", check: asPrefix(validateDns1035Label), patternLength: 30 }],
  ["labelValue", { name: "LabelValue", check: validateLabelValue, patternLength: 40 }],
  ["uri", { name: "URI", check: uriProblems, patternLength: 1103 }],
  ["uuid", { name: "uuid", check: only((text) => uuid.test(text), "does not match the UUID format"), patternLength: 70 }],
  ["byte", { name: "byte", check: only((text) => base64.test(text), "invalid base64"), patternLength: 84 }],
  ["date", { name: "date", check: only(isDate, "invalid date"), patternLength: timePatternLength }],
  ["datetime", { name: "datetime", check: only(isDateTime, "invalid datetime"), patternLength: timePatternLength }],
]);

function uriProblems(text: string): string[] {
  const problem = requestUrlProblem(text);
  return problem === undefined ? [] : [problem];
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

/** What stands behind a second `t` is not looked at, as in Kubernetes. */
function isDateTime(text: string): boolean {
  const [date = "", clock] = text.toLowerCase().split("t");
  const match = clock === undefined ? null : time.exec(clock);
  if (match === null || !isDate(date)) return false;
  const [, hours = "", minutes = "", seconds = ""] = match;
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}
