/** The pages of the documentation site: which files of the repository they are, and where they stand on the site. */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../checks/tree.ts";

export interface Page {
  /** From the root of the repository: `docs/howto/add-a-kind.md`. */
  readonly file: string;
  /** From the root of the site: `howto/add-a-kind.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Pages whose place on the site is not that of their file below `docs`. */
const elsewhere: Readonly<Record<string, string>> = {
  "README.md": "tutorials/overview.md",
  "ARCHITECTURE.md": "project/architecture.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "SECURITY.md": "project/security.md",
  "docs/compat.md": "reference/compat.md",
  "GLOSSARY.md": "reference/glossary.md",
  "CHANGELOG.md": "project/changelog.md",
  "examples/README.md": "tutorials/examples.md",
  "packages/api/reference/README.md": "project/reference-data.md",
  "tests/golden/README.md": "project/recorded-answers.md",
};

export function readPages(): Page[] {
  const files = new Set([
    ...Object.keys(elsewhere),
    ...globSync(["docs/**/*.md", "packages/*/README.md", "kits/*/README.md"], { cwd: root }),
  ]);
  return [...files].sort().map((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return { file, path: pathOf(file), title: titles[file] ?? titleOf(text) ?? file, text };
  });
}

/** Where the first heading says too little beside others. */
const titles: Readonly<Record<string, string>> = { "README.md": "Overview" };

/** The published file of a page. */
export function pathOf(file: string): string {
  const known = elsewhere[file];
  if (known !== undefined) return known;
  const [, part, name] = /^(packages|kits)\/([^/]+)\/README\.md$/.exec(file) ?? [];
  return part === undefined ? posix.relative("docs", file) : `${part}/${name}.md`;
}

/** The first heading, as plain text. */
const titleOf = (text: string): string | undefined => /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "");
