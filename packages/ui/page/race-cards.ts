/** Who takes part with what they have, and the object as the store has it. */
import type { KubeObject, RaceAction, RaceActor, RaceReport, RaceStep } from "@coxswain/machinery";
import { diffLines } from "./diff.ts";
import { element } from "./element.ts";
import { conditionOf, hotLoopText, shortPath, valueText } from "./race-texts.ts";
import { withoutManagedFields, yamlOf } from "./yaml.ts";

export interface Shown {
  readonly report: RaceReport;
  /** Before the last action. */
  readonly before: RaceReport | undefined;
  readonly steps: readonly RaceStep[];
  readonly colourOf: (actor: string) => string;
}

export interface CardOptions {
  readonly onAction: (id: string) => void;
  readonly isBusy: boolean;
}

/** The button that had the focus has it again. */
export function showActors(root: HTMLElement, shown: Shown, options: CardOptions): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.action : undefined;
  const open = openIn(root);
  root.replaceChildren(...shown.report.actors.map((actor) => cardOf(actor, shown, { ...options, open })));
  if (focused !== undefined) root.querySelector<HTMLElement>(`[data-action="${focused}"]`)?.focus();
}

/** What the visitor has unfolded stays so. */
const openIn = (root: HTMLElement): ReadonlySet<string | undefined> =>
  new Set(Array.from(root.querySelectorAll<HTMLDetailsElement>("details[open]"), ({ dataset }) => dataset.of));

function cardOf(
  actor: RaceActor,
  { report, colourOf }: Shown,
  { onAction, isBusy, open }: CardOptions & { readonly open: ReadonlySet<string | undefined> },
): HTMLElement {
  const { name, description, copy, waiting } = actor;
  const title = element("h2", {}, name);
  title.style.borderColor = colourOf(name);
  const actions = report.actions.filter((one) => one.actor === name);
  const rowOf = (isAlternative: boolean): HTMLElement => {
    const row = element("div", { class: isAlternative ? "buttons alternatives" : "buttons" });
    for (const one of actions) if ((one.isAlternative === true) === isAlternative) row.append(buttonOf(one, onAction, isBusy));
    return row;
  };
  const card = element("article", { class: "actor", "aria-label": name }, title, element("p", { class: "muted" }, description));
  const reads = actions.some(({ id }) => id.endsWith("-reads"));
  if (reads || waiting !== undefined) card.append(copyOf(report, copy));
  else if (actions.some(({ unavailable }) => unavailable !== undefined))
    card.append(element("p", { class: "copy none" }, "sends nothing now"));
  if (waiting !== undefined) {
    const { method, path, contentType = "", body } = waiting;
    const request = element(
      "details",
      { "data-of": `${name} waiting` },
      element("summary", {}, "wants to send ", code(`${method} ${shortPath(path)}`), ` ${conditionOf(waiting)}`),
    );
    request.append(element("p", { class: "muted" }, `${path} ${contentType}`), element("pre", {}, yamlOf(body)));
    if (open.has(`${name} waiting`)) request.setAttribute("open", "");
    card.append(request);
  }
  if (reads && copy?.object !== undefined) {
    const details = element(
      "details",
      { "data-of": `${name} copy` },
      element("summary", {}, copy.isStale ? "the copy, and what is so now" : "the copy"),
      copy.isStale && report.object !== undefined ? objectText(report.object, copy.object) : objectText(copy.object, undefined),
    );
    if (open.has(`${name} copy`)) details.setAttribute("open", "");
    card.append(details);
  }
  card.append(rowOf(false));
  if (actions.some(({ isAlternative }) => isAlternative)) card.append(rowOf(true));
  return card;
}

function copyOf({ field }: RaceReport, copy: RaceActor["copy"]): HTMLElement {
  if (copy === undefined) return element("p", { class: "copy none" }, "has read nothing yet");
  const { resourceVersion, isStale, object, value } = copy;
  const text = element(
    "p",
    { class: isStale ? "copy stale" : "copy" },
    object === undefined ? "has seen " : "has ",
    version(resourceVersion),
  );
  if (isStale) text.append(" ", element("strong", {}, "stale"));
  if (field !== undefined && object !== undefined) text.append(element("span", { class: "value" }, `${field}: ${valueText(value)}`));
  return text;
}

function buttonOf(
  { id, actor, label, description, unavailable }: RaceAction,
  onAction: CardOptions["onAction"],
  isBusy: boolean,
): HTMLElement {
  const button = element(
    "button",
    { type: "button", "data-action": id, "aria-label": `${actor} ${label}`, title: unavailable ?? description },
    label,
  );
  // Not disabled while it is busy: it would lose the focus.
  if (unavailable !== undefined) button.setAttribute("aria-disabled", "true");
  button.addEventListener("click", () => {
    if (unavailable === undefined && !isBusy) onAction(id);
  });
  return button;
}

export function showStore(root: HTMLElement, { report, before, colourOf }: Shown): void {
  const { object, field, value, owners, hotLoop, versions } = report;
  const last = versions.at(-1);
  const parts: HTMLElement[] = [];
  if (hotLoop !== undefined) {
    parts.push(element("p", { class: "hot-loop" }, element("strong", {}, "Hot loop. "), hotLoopText(report)));
  }
  if (object === undefined) parts.push(element("p", {}, "It is deleted."));
  else {
    const line = element("p", { class: "now" }, version(object.metadata?.resourceVersion ?? ""), ` by ${last?.actor ?? ""}`);
    if (field !== undefined) line.append(element("span", { class: "value" }, `${field}: ${valueText(value)}`));
    if (last !== undefined) line.style.borderColor = colourOf(last.actor);
    const isOpen = root.childElementCount === 0 ? report.race === "apply" : openIn(root).has("owners");
    parts.push(line, objectText(object, before?.object), ownersTable(owners, { field, colourOf, isOpen }));
  }
  root.replaceChildren(...parts);
  scrollToChange(root);
}

/** As YAML, with what is new in it. */
function objectText(object: KubeObject, before: KubeObject | undefined): HTMLElement {
  const pre = element("pre", { tabindex: "0" });
  const now = yamlOf(withoutManagedFields(object));
  const lines =
    before === undefined
      ? now.split("\n").map((text) => ({ kind: "same" as const, text }))
      : diffLines(yamlOf(withoutManagedFields(before)), now);
  for (const { kind, text } of lines) {
    if (kind === "same") pre.append(`  ${text}\n`);
    else pre.append(element(kind === "added" ? "ins" : "del", {}, `${kind === "added" ? "+" : "-"} ${text}`));
  }
  return pre;
}

/** What changes with every version is no news. */
const always = /^\+ +(?:resourceVersion|generation):/;

function scrollToChange(root: HTMLElement): void {
  const pre = root.querySelector("pre");
  const changed = Array.from(root.querySelectorAll("ins")).find(({ textContent }) => !always.test(textContent ?? ""));
  if (pre !== null && changed !== undefined) pre.scrollTop = Math.max(0, changed.offsetTop - pre.offsetTop - pre.clientHeight / 2);
}

interface OwnersOptions extends Pick<Shown, "colourOf"> {
  readonly field: string | undefined;
  readonly isOpen: boolean;
}

function ownersTable(owners: RaceReport["owners"], { field, colourOf, isOpen }: OwnersOptions): HTMLElement {
  const body = element("tbody");
  for (const { field: owned, managers } of owners) {
    const names = managers.map((name) => {
      const tag = element("span", { class: "tag" }, name);
      tag.style.borderColor = colourOf(name);
      return tag;
    });
    body.append(element("tr", { "aria-selected": String(owned === field) }, element("td", {}, code(owned)), element("td", {}, ...names)));
  }
  const head = element(
    "thead",
    {},
    element("tr", {}, element("th", { scope: "col" }, "Field"), element("th", { scope: "col" }, "Owned by")),
  );
  return element(
    "details",
    { "data-of": "owners", open: isOpen ? "" : undefined },
    element("summary", {}, "Managed fields"),
    element("table", {}, head, body),
  );
}

export const version = (resourceVersion: string): HTMLElement => element("span", { class: "version" }, `version ${resourceVersion}`);

export const code = (text: string): HTMLElement => element("code", {}, text);
