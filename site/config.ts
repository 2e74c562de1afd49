import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const sidebar: readonly { readonly items: readonly { readonly link: string }[] }[] = JSON.parse(
  readFileSync(new URL("./navigation.json", import.meta.url), "utf8"),
);

const pages = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => link)));
const nav = [
  { text: "Quick start", link: "/tutorials/quick-start" },
  { text: "How to", link: "/howto/install", activeMatch: "^/howto/" },
  { text: "Command", link: "/reference/command" },
  { text: "Compatibility", link: "/reference/compat" },
  { text: "Comparison", link: "/reference/comparison" },
];

export default defineConfig({
  title: "coxswain",
  description: "A Kubernetes control plane in TypeScript: one process, one command.",
  lang: "en",
  cleanUrls: false,
  base: process.env.SITE_BASE ?? "/",
  // The reference of the packages is made by TypeDoc and laid beside the pages.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    // Indented code is shown as other code is.
    config: (md) => {
      md.renderer.rules.code_block = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token === undefined) return "";
        token.info = "sh";
        return md.renderer.rules.fence?.(tokens, index, ...rest) ?? "";
      };
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    nav: [...nav.filter(({ link }) => pages.has(link)), { text: "API", link: "/api/index.html", target: "_self" }],
    sidebar,
  },
});
