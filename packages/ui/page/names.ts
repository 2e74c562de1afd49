/** The names beside the lanes: a tree of which only the rows that can be seen are there. */
import { rowHeight } from "./chart.ts";
import type { Fight } from "./fights.ts";
import type { Row } from "./tree.ts";

export interface NamesOptions {
  readonly root: HTMLElement;
  readonly isGone: (lane: number) => boolean;
  readonly fightOf: (lane: number) => Fight | undefined;
}

/** Shows rows from `first` on; the chosen one is the active descendant, so that a screen reader says it. */
export function showNames(
  { root, isGone, fightOf }: NamesOptions,
  {
    rows,
    first,
    count,
    chosen,
  }: { readonly rows: readonly Row[]; readonly first: number; readonly count: number; readonly chosen: number | undefined },
): void {
  const shown = rows.slice(first, first + count);
  while (root.children.length > shown.length) root.lastElementChild?.remove();
  while (root.children.length < shown.length) root.append(newName());
  for (const [i, row] of shown.entries()) fill(root.children[i] as HTMLElement, row, first + i, chosen === first + i, { isGone, fightOf });
  if (chosen !== undefined && chosen >= first && chosen < first + count) root.setAttribute("aria-activedescendant", `row-${chosen}`);
  else root.removeAttribute("aria-activedescendant");
}

function newName(): HTMLElement {
  const name = document.createElement("div");
  name.className = "name";
  name.setAttribute("role", "treeitem");
  name.innerHTML =
    '<button type="button" class="fold" tabindex="-1"></button><span class="text"><span class="kind"></span> <span class="label"></span></span>';
  return name;
}

function fill(name: HTMLElement, row: Row, at: number, isChosen: boolean, { isGone, fightOf }: Omit<NamesOptions, "root">): void {
  const { lane, depth, children, isFolded } = row;
  name.id = `row-${at}`;
  name.dataset.row = String(at);
  name.style.top = `${at * rowHeight}px`;
  name.style.paddingLeft = `${8 + depth * 14}px`;
  name.classList.toggle("gone", isGone(lane.index));
  name.setAttribute("aria-level", String(depth + 1));
  name.setAttribute("aria-selected", String(isChosen));
  if (children > 0) name.setAttribute("aria-expanded", String(!isFolded));
  else name.removeAttribute("aria-expanded");
  const [fold, text] = name.children as unknown as [HTMLElement, HTMLElement];
  fold.textContent = children === 0 ? "" : isFolded ? "▸" : "▾";
  fold.setAttribute("aria-label", children === 0 ? "" : isFolded ? `show the ${children} below` : "fold");
  fold.style.visibility = children === 0 ? "hidden" : "visible";
  setText(text.children[0] as HTMLElement, lane.object.kind);
  // Below its owner, the namespace is the same.
  setText(text.children[1] as HTMLElement, depth === 0 ? lane.label : lane.object.name);
  const title = `${lane.object.kind} ${lane.label}`;
  text.title = title;
  const fight = fightOf(lane.index);
  let badge = name.querySelector<HTMLElement>(".badge");
  const word = fight === undefined ? undefined : fight.writers.length > 1 ? "fight" : "loop";
  name.setAttribute("aria-label", word === undefined ? title : `${title}, ${word}`);
  if (fight === undefined) return void badge?.remove();
  if (badge === null) {
    badge = document.createElement("span");
    badge.className = "badge";
    name.append(badge);
  }
  setText(badge, word ?? "");
  badge.title = `${fight.writers.join(" and ")} set ${fight.field} back and forth, ${fight.times} times`;
}

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
