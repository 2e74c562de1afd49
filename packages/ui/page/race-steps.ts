/** Requests and their answers, as a list that grows. */
import type { RaceStep } from "@coxswain/machinery";
import { clockTime, element } from "./element.ts";
import { code, shortPath } from "./race-cards.ts";
import { yamlOf } from "./yaml.ts";

/** The newest stands first. */
export function addSteps(
  list: HTMLOListElement,
  steps: readonly RaceStep[],
  colourOf: (actor: string) => string,
  { isAnew = false }: { readonly isAnew?: boolean } = {},
): void {
  if (isAnew) list.replaceChildren();
  list.reversed = true;
  for (const step of steps) list.prepend(itemOf(step, colourOf));
}

function itemOf(step: RaceStep, colourOf: (actor: string) => string): HTMLElement {
  const { number, time, actor, request, answer, summary, explanation, lost, ownership } = step;
  const { method, path, contentType, body } = request;
  const isRefused = answer.code >= 400;
  const line = element(
    "p",
    { class: "request" },
    element("span", { class: "muted" }, clockTime(Date.parse(time))),
    code(`${method} ${shortPath(path)}`),
    element("span", { class: isRefused ? "code refused" : "code" }, `${answer.code} ${reasonOf(answer.code)}`),
  );
  const item = element("li", { value: String(number) }, element("p", { class: "summary" }, summary), line);
  item.style.borderLeftColor = colourOf(actor);
  if (explanation.length > 0) item.append(element("ul", { class: "explanation" }, ...explanation.map((text) => element("li", {}, text))));
  if (lost.length > 0)
    item.append(element("p", { class: "conflict" }, `What another had set since, and is not so any more: ${lost.join(", ")}`));
  if (ownership.length > 0) item.append(ownersOf(ownership));
  const sent = element("pre", {}, body === undefined ? "no body" : yamlOf(body));
  const details = element("details", {}, element("summary", {}, "all of it"), element("p", { class: "muted" }, `${method} ${path}`));
  if (contentType !== undefined) details.append(element("p", { class: "muted" }, contentType));
  details.append(sent);
  if (answer.status !== undefined)
    details.append(element("p", { class: "muted" }, `answer ${answer.code}`), element("pre", {}, yamlOf(answer.status)));
  item.append(details);
  return item;
}

/** So many are shown at once: what nobody owned before comes in numbers. */
const maxOwners = 2;

function ownersOf(all: RaceStep["ownership"]): HTMLElement {
  const ownership = all.toSorted((a, b) => Number(b.from.length > 0) - Number(a.from.length > 0));
  const text = (names: readonly string[]): string => (names.length === 0 ? "nobody" : names.join(", "));
  const shown = ownership.slice(0, maxOwners).map(({ field, from, to }) => `${field}: ${text(from)} → ${text(to)}`);
  const more = ownership.length > maxOwners ? `, and ${ownership.length - maxOwners} more` : "";
  return element("p", { class: "owners" }, `owners of ${shown.join("; ")}${more}`);
}

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
};

const reasonOf = (codeNumber: number): string => reasons[codeNumber] ?? "";
