/** What has happened from left to right: the versions in the store, and who read and wrote which. */
import type { RaceStep } from "@coxswain/machinery";
import type { Shown } from "./race-cards.ts";
import { raceTime } from "./race-texts.ts";

const columnWidth = 80;
const rowHeight = 34;
const namesWidth = 92;
const namespace = "http://www.w3.org/2000/svg";

export function showLanes(root: HTMLElement, { report, steps, colourOf }: Shown): void {
  const names = ["store", ...report.actors.map(({ name }) => name)];
  const width = columnWidth * (steps.length + 1) + 48;
  const height = rowHeight * names.length + 8;
  const svg = shape("svg", { width, height, role: "img", "aria-label": textOf(steps) });
  const heads = shape("svg", { width: namesWidth, height, "aria-hidden": "true" });
  const y = (name: string): number => rowHeight * (Math.max(0, names.indexOf(name)) + 0.5) + 4;
  const x = (column: number): number => columnWidth * (column + 0.5);
  for (const name of names) {
    svg.append(shape("line", { x1: 0, x2: "100%", y1: y(name), y2: y(name), class: "lane" }));
    heads.append(text(name, { x: 0, y: y(name) + 4, class: "lane-name" }));
  }
  for (const { resourceVersion, step = 0, actor, isDeletion = false } of report.versions) {
    const [at, colour] = [x(step), step === 0 ? colourOf("") : colourOf(actor)];
    svg.append(shape("rect", { x: at - 25, y: y("store") - 11, width: 50, height: 22, rx: 5, class: "box", stroke: colour }));
    svg.append(text(isDeletion ? "deleted" : resourceVersion, { x: at, y: y("store") + 4, "text-anchor": "middle" }));
  }
  for (const step of steps)
    svg.append(...marksOf(step, { x: x(step.number), y: y(step.actor), store: y("store"), colour: colourOf(step.actor) }));
  const scroller = document.createElement("div");
  scroller.tabIndex = 0;
  scroller.append(svg);
  root.replaceChildren(heads, scroller);
  scroller.scrollLeft = scroller.scrollWidth;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly store: number;
  readonly colour: string;
}

/** Reads come from the store, writes go to it, and refusals come back. */
function marksOf(step: RaceStep, { x, y, store, colour }: Place): readonly SVGElement[] {
  const { request, answer } = step;
  const isRefused = answer.code >= 400;
  const isRead = request.method === "GET";
  const link = shape("line", {
    ...{ x1: x, x2: x, y1: y - 8, y2: store + 12, stroke: isRefused ? "var(--bad)" : colour },
    ...(isRead ? { "stroke-dasharray": "3 3" } : {}),
  });
  const mark = isRefused
    ? shape("path", { d: `M${x - 7} ${y}L${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}Z`, fill: "var(--bad)" })
    : shape("circle", { cx: x, cy: y, r: 6, fill: isRead ? "var(--panel)" : colour, stroke: colour, "stroke-width": 2 });
  const title = shape("title", {});
  title.textContent = `${step.number}: ${step.summary}, ${raceTime(step.time)}`;
  mark.append(title);
  const isLossy = step.lost.length > 0;
  const label = isRefused ? String(answer.code) : isRead ? (answer.resourceVersion ?? "") : isLossy ? "overwrites" : request.method;
  return [link, mark, text(label, { x: x + 11, y: y + 4, class: isRefused || isLossy ? "bad" : "muted-text" })];
}

const textOf = (steps: readonly RaceStep[]): string =>
  steps.length === 0 ? "nothing has happened yet" : steps.map(({ number, summary }) => `${number}: ${summary}`).join("; ");

function shape(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made as SVGElement;
}

function text(content: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = shape("text", attributes);
  made.textContent = content;
  return made;
}
