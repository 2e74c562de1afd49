/** What Kubernetes' test program reports in JUnit's format. */

export interface SpecResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Why it failed. */
  readonly message: string;
}

/** Of the specs that ran. */
export function readResults(xml: string): readonly SpecResult[] {
  const specs: SpecResult[] = [];
  for (const [, attributes = "", body = ""] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const [name, status] = [attribute(attributes, "name"), attribute(attributes, "status")];
    if (status === "skipped" || !name.startsWith("[It] ")) continue;
    const failure = /<failure ([^>]*)>/.exec(body)?.[1] ?? "";
    const seconds = Number(attribute(attributes, "time"));
    specs.push({ name: name.slice("[It] ".length), passed: status === "passed", seconds, message: attribute(failure, "message") });
  }
  return specs;
}

const attribute = (text: string, name: string): string => unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "");

const entities: Readonly<Record<string, string>> = {
  __proto__: null as never,
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#xA": "\n",
  "#x9": "\t",
};
const unescaped = (text: string): string => text.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? numbered(name) ?? whole);

function numbered(name: string): string | undefined {
  const code = /^#(\d+)$/.exec(name)?.[1];
  return code === undefined ? undefined : String.fromCodePoint(Number(code));
}

/** For people: what failed and why, and how many there were. */
export function summary(specs: readonly SpecResult[]): string {
  const failed = specs.filter(({ passed }) => !passed);
  const lines = failed.map(({ name, seconds, message }) => `failed after ${Math.round(seconds)} s: ${name}\n  ${message.split("\n")[0]}`);
  return [...lines, `${specs.length - failed.length} of ${specs.length} specs passed`].join("\n");
}
