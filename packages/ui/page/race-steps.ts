/** Requests and their answers, as a list that grows. */
import type { RaceStep } from "@coxswain/machinery";
import { element } from "./element.ts";
import { code } from "./race-cards.ts";
import { conditionOf, raceTime, shortPath } from "./race-texts.ts";
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
  const condition = conditionOf(request);
  const line = element(
    "p",
    { class: "request" },
    element("span", { class: "muted" }, raceTime(time)),
    code(`${method} ${shortPath(path)}`),
    condition === "" ? undefined : element("span", {}, condition),
    element("span", { class: isRefused ? "code refused" : "code" }, `${answer.code} ${reasonOf(answer.code)}`),
  );
  const item = element(
    "li",
    { value: String(number) },
    element("p", { class: lost.length > 0 ? "summary conflict" : "summary" }, summary),
    line,
  );
  item.style.borderLeftColor = colourOf(actor);
  if (explanation.length > 0) item.append(element("ul", { class: "explanation" }, ...explanation.map((text) => element("li", {}, text))));
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

/** So many are shown at once. */
const maxOwners = 2;

/** What nobody owned before comes in numbers, and is no news. */
function ownersOf(all: RaceStep["ownership"]): HTMLElement {
  const text = (names: readonly string[]): string => (names.length === 0 ? "nobody" : names.join(", "));
  const changed = all.filter(({ from }) => from.length > 0);
  const shown = (all.length <= maxOwners ? all : changed).slice(0, maxOwners);
  const more = all.length - shown.length;
  const parts = shown.map(({ field, from, to }) => `${field}: ${text(from)} → ${text(to)}`);
  return element(
    "p",
    { class: "owners" },
    `owners of ${[...parts, ...(more === 0 ? [] : [`${more} ${parts.length === 0 ? "fields changed" : "more"}`])].join("; ")}`,
  );
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
