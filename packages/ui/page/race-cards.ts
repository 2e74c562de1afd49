/** Who takes part with what they have, and the object as the store has it. */
import type { KubeObject, RaceAction, RaceActor, RaceReport, RaceStep } from "@coxswain/machinery";
import { diffLines } from "./diff.ts";
import { element } from "./element.ts";
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
  const open = new Set(Array.from(root.querySelectorAll<HTMLDetailsElement>("details[open]"), ({ dataset }) => dataset.of));
  root.replaceChildren(...shown.report.actors.map((actor) => cardOf(actor, shown, { ...options, open })));
  if (focused !== undefined) root.querySelector<HTMLElement>(`[data-action="${focused}"]`)?.focus();
}

function cardOf(
  actor: RaceActor,
  { report, colourOf }: Shown,
  { onAction, isBusy, open }: CardOptions & { readonly open: ReadonlySet<string | undefined> },
): HTMLElement {
  const { name, description, copy, waiting } = actor;
  const title = element("h2", {}, name);
  title.style.borderColor = colourOf(name);
  const buttons = element("div", { class: "buttons" });
  const actions = report.actions.filter((one) => one.actor === name);
  for (const action of actions) buttons.append(buttonOf(action, onAction, isBusy));
  const card = element("article", { class: "actor", "aria-label": name }, title, element("p", { class: "muted" }, description));
  if (copy !== undefined || actions.some(({ id }) => id.endsWith("-reads"))) card.append(copyOf(report, copy));
  if (waiting !== undefined) {
    const { method, path, contentType = "", body } = waiting;
    const request = element(
      "details",
      { "data-of": `${name} waiting` },
      element("summary", {}, "wants to send ", code(`${method} ${shortPath(path)}`)),
    );
    request.append(element("p", { class: "muted" }, `${path} ${contentType}`), element("pre", {}, yamlOf(body)));
    if (open.has(`${name} waiting`)) request.setAttribute("open", "");
    card.append(request);
  }
  if (copy?.object !== undefined) {
    const details = element(
      "details",
      { "data-of": `${name} copy` },
      element("summary", {}, "the copy"),
      objectText(copy.object, undefined),
    );
    if (open.has(`${name} copy`)) details.setAttribute("open", "");
    card.append(details);
  }
  card.append(buttons);
  return card;
}

function copyOf({ field }: RaceReport, copy: RaceActor["copy"]): HTMLElement {
  if (copy === undefined) return element("p", { class: "copy none" }, "has read nothing yet");
  const { resourceVersion, isStale, object, value } = copy;
  const text = element(
    "p",
    { class: isStale ? "copy stale" : "copy" },
    object === undefined ? "has seen " : "has read ",
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
    const { writers, writes, withinMs } = hotLoop;
    const text = `${writers.join(" and ")} fight over ${hotLoop.field ?? "the object"}: ${writes} writes within ${withinMs / 1_000} s`;
    parts.push(element("p", { class: "hot-loop" }, element("strong", {}, "Hot loop. "), text));
  }
  if (object === undefined) parts.push(element("p", {}, "It is deleted."));
  else {
    const line = element("p", { class: "now" }, version(object.metadata?.resourceVersion ?? ""), ` by ${last?.actor ?? ""}`);
    if (field !== undefined) line.append(element("span", { class: "value" }, `${field}: ${valueText(value)}`));
    if (last !== undefined) line.style.borderColor = colourOf(last.actor);
    parts.push(line, objectText(object, before?.object));
    parts.push(ownersTable(owners, field, colourOf));
  }
  root.replaceChildren(...parts);
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

function ownersTable(owners: RaceReport["owners"], field: string | undefined, colourOf: Shown["colourOf"]): HTMLElement {
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
  return element("details", { open: "" }, element("summary", {}, "Managed fields"), element("table", {}, head, body));
}

export const version = (resourceVersion: string): HTMLElement => element("span", { class: "version" }, `version ${resourceVersion}`);

export const code = (text: string): HTMLElement => element("code", {}, text);

export const valueText = (value: unknown): string => (value === undefined ? "not set" : JSON.stringify(value));

/** Of the object's name on, without what says who writes. */
export const shortPath = (path: string): string => {
  const [own = "", query = ""] = path.split("?");
  const rest = query.split("&").filter((one) => !one.startsWith("fieldManager="));
  return `…/${own.split("/").slice(-2).join("/")}${rest.length === 0 || rest[0] === "" ? "" : `?${rest.join("&")}`}`;
};
