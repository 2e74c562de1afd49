/** Tables of the page. */
import { element } from "./element.ts";

export const headOf = (heads: readonly string[]): HTMLElement =>
  element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))));

/** Times stay on one line. */
export const cell = (head: string | undefined, text: string): HTMLElement => element("td", head === "At" ? { class: "time" } : {}, text);

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): HTMLElement =>
  element(
    "table",
    {},
    headOf(heads),
    element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((text, i) => cell(heads[i], text))))),
  );
