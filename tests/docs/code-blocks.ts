/** The TypeScript in a page of documentation, and what the page says of it. */

export interface CodeBlock {
  /** Of its first line in the page. */
  readonly line: number;
  /** What the page calls it, so that other blocks of the page can import it: "```ts greeter.ts". */
  readonly file: string | undefined;
  /** It runs until it is stopped, which may be once it has printed this: "```ts main.ts until=running". */
  readonly until: string | undefined;
  readonly code: string;
  /** What it prints, when a "```text" block follows it at once. */
  readonly output: string | undefined;
}

export function codeBlocks(page: string): CodeBlock[] {
  const fence = /^```(\w+)(.*)\n([\s\S]*?)^```$\n(?:\n```text\n([\s\S]*?)^```$)?/gm;
  return Array.from(page.matchAll(fence)).flatMap(({ 1: language, 2: info = "", 3: code = "", 4: output, index }) => {
    if (language !== "ts") return [];
    const words = info.split(" ").filter((word) => word !== "");
    return {
      line: page.slice(0, index).split("\n").length + 1,
      file: words.find((word) => word.endsWith(".ts")),
      until: words.find((word) => word.startsWith("until="))?.slice("until=".length),
      code,
      output,
    };
  });
}
