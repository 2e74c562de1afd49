/**
 * What names, keys and ports may look like. Each check returns Kubernetes' messages, none when the value is fine.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */

export const maxLabelLength = 63;
/** The most characters of a DNS-1123 subdomain, and so of most names. */
export const maxSubdomainLength = 253;

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const alphanumericEnds = "and must start and end with an alphanumeric character";

/** Text that a pattern describes, and how Kubernetes explains a mismatch. */
interface Rule {
  readonly source: string;
  readonly pattern: RegExp;
  readonly message: string;
}

const rule = (what: string, source: string, ...examples: readonly string[]): Rule => ({
  source,
  pattern: new RegExp(`^${source}$`),
  message: regexMessage(what, source, ...examples),
});

const labelRule = rule(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds}`,
  label,
  "my-name",
  "123-abc",
);
const subdomainRule = rule(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds}`,
  subdomain,
  "example.com",
);
const caselessSubdomainRule: Rule = {
  source: subdomain,
  pattern: new RegExp(`^${subdomain}$`, "i"),
  message: regexMessage(
    `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', ${alphanumericEnds}`,
    subdomain,
    "Example.com",
  ),
};
const underscoredSubdomainRule = rule(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', ${alphanumericEnds}`,
  `${underscored}(\\.${underscored})*`,
  "example.com",
);
const dns1035Rule = rule(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  "my-name",
  "abc-123",
);
const wildcardRule = rule(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  "*.example.com",
);
const labelKeyRule = rule(
  `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  labelKey,
  "MyName",
  "my.name",
  "123-abc",
);
const labelValueRule = rule(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  `(${labelKey})?`,
  "MyValue",
  "my_value",
  "12345",
);
const configMapKeyRule = rule(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  "[-._a-zA-Z0-9]+",
  "key.name",
  "KEY_NAME",
  "key-name",
);
const envVarNameRule = rule(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  "[-._a-zA-Z][-._a-zA-Z0-9]*",
  "my.env-name",
  "MY_ENV.NAME",
  "MyEnvName1",
);
const cIdentifierRule = rule(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  "[A-Za-z_][A-Za-z0-9_]*",
  "my_name",
  "MY_NAME",
  "MyName",
);
const percentRule = rule("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%");
const headerNameRule = rule("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name");

/** Returns what is wrong with a DNS-1123 label, in Kubernetes' words; nothing when it is one. */
export function validateDns1123Label(value: string): string[] {
  const problems = tooLong(value, maxLabelLength);
  if (!labelRule.pattern.test(value)) {
    problems.push(subdomainRule.pattern.test(value) ? "must not contain dots" : labelRule.message);
  }
  return problems;
}

/**
 * Returns what is wrong with a DNS-1123 subdomain, the form of most objects' names.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export const validateDns1123Subdomain = (value: string): string[] => check(value, subdomainRule, maxSubdomainLength);

/** Returns what is wrong with a DNS-1123 subdomain in which capitals are allowed. */
export const validateDns1123SubdomainCaseless = (value: string): string[] => check(value, caselessSubdomainRule, maxSubdomainLength);

/** Returns what is wrong with a DNS-1123 subdomain in which underscores are allowed. */
export const validateDns1123SubdomainWithUnderscore = (value: string): string[] =>
  check(value, underscoredSubdomainRule, maxSubdomainLength);

/** Returns what is wrong with a DNS-1035 label, which begins with a letter: the names of Services. */
export const validateDns1035Label = (value: string): string[] => check(value, dns1035Rule, maxLabelLength);

/** Returns what is wrong with a DNS-1123 subdomain behind `*.`. */
export const validateWildcardDns1123Subdomain = (value: string): string[] => check(value, wildcardRule, maxSubdomainLength);

/**
 * Returns what is wrong with a label's value; at most 63 bytes, and it may be empty.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const validateLabelValue = (value: string): string[] => check(value, labelValueRule, maxLabelLength, "bytes");

/** Returns what is wrong with an identifier of C: letters, digits and underscores. */
export const validateCIdentifier = (value: string): string[] => check(value, cIdentifierRule);

/** Returns what is wrong with a percentage, such as `25%`. */
export const validatePercent = (value: string): string[] => check(value, percentRule);

/** Returns what is wrong with the name of an HTTP header. */
export const validateHttpHeaderName = (value: string): string[] => check(value, headerNameRule);

/** A name, or a DNS subdomain, `/` and a name: label keys, annotation keys, finalizers, resource names. */
export function validateQualifiedName(value: string): string[] {
  const parts = value.split("/");
  if (parts.length > 2) {
    return [`a valid label key ${labelKeyRule.message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const problems: string[] = [];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) problems.push(...check(prefix, subdomainRule, maxSubdomainLength, "bytes").map((p) => `prefix part ${p}`));
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, maxLabelLength, "bytes").map((p) => `name part ${p}`));
  if (!labelKeyRule.pattern.test(name)) problems.push(`name part ${labelKeyRule.message}`);
  return problems;
}

/** Returns what is wrong with a key of a ConfigMap or a Secret, which is also a file's name. */
export const validateConfigMapKey = (value: string): string[] => [
  ...check(value, configMapKeyRule, maxSubdomainLength),
  ...leavesDirectory(value),
];

/** Returns what is wrong with the name of an environment variable by the strict rule, an identifier with dots and dashes. */
export const validateEnvVarName = (value: string): string[] => [...check(value, envVarNameRule), ...leavesDirectory(value)];

/** Any printable ASCII but `=`: what containers accept since the strict rule was relaxed. */
export function validateRelaxedEnvVarName(value: string): string[] {
  const problems = value === "" ? ["environment variable name must be non-empty"] : [];
  if (!/^[ -<>-~]*$/.test(value))
    problems.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
  return problems;
}

/** RFC 6335, lower case only. */
export function validatePortName(value: string): string[] {
  const problems = tooLong(value, 15);
  if (!/^[-a-z0-9]+$/.test(value)) problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

/** Returns what is wrong with a number that must be between two others, both included. */
export const validateInRange = (value: number | bigint, min: number, max: number): string[] =>
  value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];

/** Returns what is wrong with the number of a port. */
export const validatePortNumber = (value: number): string[] => validateInRange(value, 1, 65535);

/** Returns what is wrong with the number of a user on Linux. */
export const validateUserId = (value: number | bigint): string[] => validateInRange(value, 0, 2147483647);

/** Returns what is wrong with the number of a group on Linux. */
export const validateGroupId = validateUserId;

/** A name that can stand in a URL path. Empty is fine here. */
export function validatePathSegmentName(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return validatePathSegmentPrefix(value);
}

/** Returns what is wrong with the beginning of a name that stands in a URL path. */
export const validatePathSegmentPrefix = (value: string): string[] =>
  ["/", "%"].filter((bad) => value.includes(bad)).map((bad) => `may not contain '${bad}'`);

/** How Kubernetes words a mismatch with a pattern. */
export function regexMessage(what: string, source: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${what} (regex used for validation is '${source}')`;
  return `${what} (e.g. ${examples.map((e) => `'${e}', `).join(" or ")}regex used for validation is '${source}')`;
}

/** What Kubernetes calls the unit depends on the rule. */
type LengthUnit = "characters" | "bytes";

/** Returns Kubernetes' message about a value that is too long. */
export const maxLengthMessage = (max: number, unit: LengthUnit = "characters"): string => `must be no more than ${max} ${unit}`;

function check(value: string, { pattern, message }: Rule, maxLength = Number.POSITIVE_INFINITY, unit?: LengthUnit): string[] {
  const problems = tooLong(value, maxLength, unit);
  if (!pattern.test(value)) problems.push(message);
  return problems;
}

/** Go counts bytes. Anything but ASCII fails the pattern anyway, so only the message for long texts depends on it. */
function tooLong(value: string, max: number, unit?: LengthUnit): string[] {
  const bytes = value.length > max ? value.length : value.length * 3 > max ? utf8Length(value) : 0;
  return bytes > max ? [maxLengthMessage(max, unit)] : [];
}

function utf8Length(value: string): number {
  let bytes = 0;
  for (const rune of value) {
    const code = rune.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function leavesDirectory(value: string): string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
