/** The keys of the timeline; docs/howto/see-the-timeline.md lists them. */
import { rowHeight } from "./chart.ts";
import type { Details } from "./details.ts";
import type { Navigation } from "./navigation.ts";

interface KeyTargets {
  readonly details: Details;
  readonly scroller: HTMLElement;
  readonly names: HTMLElement;
  readonly filter: HTMLInputElement;
}

export function listenToKeys({ details, scroller, names, filter }: KeyTargets, navigation: Navigation): void {
  names.addEventListener("keydown", (event) => {
    const chosen = navigation.chosen();
    const row = chosen ?? 0;
    const page = Math.floor(scroller.clientHeight / rowHeight) - 1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => navigation.choose(Math.min(navigation.rows().length - 1, chosen === undefined ? 0 : row + 1)),
      ArrowUp: () => navigation.choose(Math.max(0, row - 1)),
      PageDown: () => navigation.choose(Math.min(navigation.rows().length - 1, row + page)),
      PageUp: () => navigation.choose(Math.max(0, row - page)),
      Home: () => navigation.choose(0),
      End: () => navigation.choose(navigation.rows().length - 1),
      ArrowRight: () => navigation.fold(row, false),
      ArrowLeft: () => navigation.fold(row, true),
      Enter: () => navigation.open(row),
      " ": () => navigation.open(row),
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = navigation.view();
    if (event.key === "+" || event.key === "-") navigation.zoom(event.key === "+" ? 0.5 : 2, (now.from + now.to) / 2);
    else if (event.key === "[" || event.key === "]") details.step(event.key === "[" ? -1 : 1);
    else if (event.key === ",") navigation.pan((now.from - now.to) / 4);
    else if (event.key === ".") navigation.pan((now.to - now.from) / 4);
    else if (event.key === "l") navigation.toggleLive();
    else if (event.key === "/") filter.focus();
    else if (event.key === "Escape" && details.lane !== undefined) details.close();
    else return;
    event.preventDefault();
  });
}
