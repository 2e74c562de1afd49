import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const sidebar = JSON.parse(readFileSync(new URL("./navigation.json", import.meta.url), "utf8"));

export default defineConfig({
  title: "coxswain",
  description: "A Kubernetes control plane in TypeScript: one process, one command.",
  lang: "en",
  cleanUrls: false,
  base: process.env.SITE_BASE ?? "/",
  // The reference of the packages is made by TypeDoc and laid beside the pages.
  ignoreDeadLinks: [/^\/api\//],
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    nav: [
      { text: "Quick start", link: "/tutorials/quick-start" },
      { text: "How to", link: "/howto/install", activeMatch: "^/howto/" },
      { text: "Command", link: "/reference/command" },
      { text: "Compatibility", link: "/reference/compat" },
      { text: "Comparison", link: "/reference/comparison" },
      { text: "API", link: "/api/index.html", target: "_self" },
    ],
    sidebar,
  },
});
