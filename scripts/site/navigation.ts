/** What stands beside each page of the site, in the order for a new reader. */
import type { Page } from "./pages.ts";

interface Entry {
  readonly text: string;
  readonly link: string;
}

export interface Section {
  readonly text: string;
  readonly items: readonly Entry[];
}

interface Part {
  readonly title: string;
  readonly folder: string;
  /** The pages that come first; the others follow by their titles. */
  readonly first: readonly string[];
}

const parts: readonly Part[] = [
  { title: "Tutorials", folder: "tutorials", first: ["overview", "quick-start", "first-test"] },
  { title: "How to", folder: "howto", first: ["install"] },
  { title: "Concepts", folder: "concepts", first: ["optimistic-concurrency", "conflicts"] },
  { title: "Reference", folder: "reference", first: ["command", "compat", "comparison", "limits"] },
  { title: "Packages", folder: "packages", first: ["client", "coxswain"] },
  { title: "Kits for other languages", folder: "kits", first: [] },
  { title: "The project", folder: "project", first: ["architecture", "contributing"] },
  { title: "Decisions", folder: "adr", first: [] },
];

/** By folder, then by title. */
export function navigation(pages: readonly Page[]): Section[] {
  const sections = parts.map(({ title, folder, first }) => {
    const own = pages.filter(({ path }) => path.startsWith(`${folder}/`));
    const rank = ({ path }: Page): number => {
      const at = first.indexOf(path.slice(folder.length + 1).replace(/\.md$/, ""));
      return at < 0 ? first.length : at;
    };
    return {
      text: title,
      items: own
        .toSorted((a, b) => rank(a) - rank(b) || compare(a, b))
        .map(({ title: text, path }) => ({ text, link: `/${path.replace(/\.md$/, "")}` })),
    };
  });
  return sections.filter(({ items }) => items.length > 0);
}

const compare = (a: Page, b: Page): number => (a.title < b.title ? -1 : 1);
