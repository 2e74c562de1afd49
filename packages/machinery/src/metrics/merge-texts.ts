/** Several texts of metrics as one. @see https://prometheus.io/docs/instrumenting/exposition_formats/ */

interface Family {
  /** HELP and TYPE, as they first came. */
  readonly comments: string[];
  /** By name and labels. */
  readonly values: Map<string, number>;
}

/** Each family comes once, where it first was; samples of the same name and labels are added up. */
export function mergeMetricsTexts(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join("");
  const families = new Map<string, Family>();
  for (const text of texts) addFamilies(families, text);
  return Array.from(families.values(), ({ comments, values }) =>
    [...comments, ...Array.from(values, ([series, value]) => `${series} ${print(value)}`), ""].join("\n"),
  ).join("");
}

function addFamilies(families: Map<string, Family>, text: string): void {
  let family: Family = { comments: [], values: new Map() };
  let isRepeated = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) {
      const name = line.split(" ", 3)[2] ?? "";
      const known = families.get(name);
      isRepeated = known !== undefined;
      family = known ?? { comments: [], values: new Map() };
      families.set(name, family);
    }
    if (line.startsWith("#")) {
      if (!isRepeated) family.comments.push(line);
    } else if (line !== "") {
      const end = line.lastIndexOf(" ");
      const series = line.slice(0, end);
      family.values.set(series, (family.values.get(series) ?? 0) + Number(line.slice(end + 1).replace("Inf", "Infinity")));
    }
  }
}

const print = (value: number): string =>
  String(value)
    .replace(/^Infinity/, "+Infinity")
    .replace("Infinity", "Inf");
