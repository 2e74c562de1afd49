/** The timeline: lanes of objects, marks of writes, and what the chosen one was. */
import { drawAxis, drawLanes, isGone, rowHeight, type View } from "./chart.ts";
import { palette } from "./colours.ts";
import { Details } from "./details.ts";
import { byId, element } from "./element.ts";
import { Facts } from "./facts.ts";
import { listenToKeys } from "./keyboard.ts";
import { Loader } from "./loader.ts";
import { Model } from "./model.ts";
import { showNames } from "./names.ts";
import type { Navigation } from "./navigation.ts";
import { isRecorded, newestMoment, showRecorded } from "./newest-moment.ts";
import { listenToPointer } from "./pointer.ts";
import { type Row, rowsOf } from "./tree.ts";

const scroller = byId("scroller", HTMLDivElement);
const spacer = byId("spacer", HTMLDivElement);
const names = byId("names", HTMLDivElement);
const canvas = byId("chart", HTMLCanvasElement);
const axis = byId("axis", HTMLCanvasElement);
const tip = byId("tip", HTMLDivElement);
const legend = byId("legend", HTMLDivElement);
const status = byId("status", HTMLParagraphElement);
const filter = byId("filter", HTMLInputElement);
const systemButton = byId("system", HTMLButtonElement);
const liveButton = byId("live", HTMLButtonElement);

const model = new Model();
const unfolded = new Set<number>();
let rows: readonly Row[] = [];
let span = 0;
let isSpanChosen = false;
let isSystemShown = false;
let to = newestMoment();
let isLive = true;
let chosen: { row: number; change: number | undefined } | undefined;
let colours = palette();
let ranks = new Int32Array(0);
let isDirty = true;
/** More has come than is shown, and when it is to be shown. */
let hasMore = false;
let showMoreAt = 0;
let isRequested = false;

const defaultSpan = 600_000;
/** Between two times that more is shown, in times of what that takes. */
const pauseFactor = 5;
const redraw = (): void => {
  if (!isRequested) requestAnimationFrame(draw);
  isRequested = true;
};
const facts = new Facts(model, redraw);
const details = new Details({
  root: byId("details", HTMLElement),
  facts,
  onVersion: (resourceVersion) => {
    const { lane } = details;
    choose(chosen?.row, lane === undefined ? undefined : model.changeOf(lane.index, Number(resourceVersion)));
  },
  onClose: () => {
    names.focus();
    redraw();
  },
});
const loader = new Loader({
  model,
  onProgress({ isComplete, error }) {
    hasMore = true;
    model.isComplete = isComplete;
    // Of what has gone on for long, the newest.
    if (!isSpanChosen && !isRecorded && Date.now() - (model.firstTime ?? Date.now()) > defaultSpan) setSpan(defaultSpan);
    const count = model.columns.revision.length.toLocaleString();
    status.textContent = error ?? (isComplete ? "" : `loading, ${count} changes so far`);
    redraw();
  },
});

function view(): View {
  const width = canvas.clientWidth;
  const { time } = model.columns;
  if (span > 0) return { from: to - span, to, width };
  const first = time[0] ?? to - 60_000;
  const padding = Math.max(1_000, (to - first) * 0.02);
  return { from: first - padding, to: to + padding, width };
}

function draw(): void {
  isRequested = false;
  if (isDirty || (hasMore && performance.now() >= showMoreAt)) settle();
  else if (hasMore) setTimeout(redraw, showMoreAt - performance.now());
  if (isLive) to = newestMoment();
  const now = view();
  const height = scroller.clientHeight;
  const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight));
  const count = Math.ceil(height / rowHeight) + 1;
  const offset = first * rowHeight - scroller.scrollTop;
  canvas.style.top = `${scroller.scrollTop}px`;
  const context = fitted(canvas, scroller.clientWidth - names.clientWidth, height);
  drawLanes(context, { model, rows, first, offset, count, view: now, palette: colours, ranks, factsOf: facts.of, chosen });
  drawAxis(fitted(axis, axis.clientWidth, 28), now, colours);
  showNames(
    { root: names, isGone: (lane) => isGone(model, lane), fightOf: (lane) => facts.fightOf(lane) },
    { rows, first, count, chosen: chosen?.row },
  );
  facts.want(rows.slice(first, first + count).map(({ lane }) => lane));
  if (isLive && !isRecorded && !document.hidden) setTimeout(redraw, Math.max(50, Math.min(1_000, (now.to - now.from) / now.width)));
}

/** Sharp on every screen; only made anew when its size has changed, which empties it. */
function fitted(on: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio;
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (on.width !== wide || on.height !== high) {
    on.width = wide;
    on.height = high;
    on.style.width = `${width}px`;
    on.style.height = `${height}px`;
  }
  const context = on.getContext("2d");
  if (context === null) throw new Error("this browser draws nothing");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Takes some ten milliseconds where there is much, so that while more and more comes not each page of it is shown at once. */
function settle(): void {
  const begun = performance.now();
  isDirty = false;
  hasMore = false;
  const lane = chosen === undefined ? undefined : rows[chosen.row]?.lane;
  const { revision } = model.columns;
  const chosenRevision = chosen?.change === undefined ? undefined : revision[chosen.change];
  model.settle();
  rows = rowsOf(model, { filter: filter.value, unfolded, isSystemShown });
  const height = rows.length * rowHeight;
  spacer.style.height = `${height}px`;
  names.style.height = `${height}px`;
  if (lane !== undefined) {
    const row = rows.findIndex((one) => one.lane === lane);
    const change = chosenRevision === undefined ? undefined : model.changeOf(lane.index, chosenRevision);
    chosen = row < 0 ? undefined : { row, change };
  }
  rankWriters();
  const last = details.lane === undefined ? undefined : model.changesOf(details.lane.index).at(-1);
  if (last !== undefined) details.refresh(String(model.columns.revision[last]));
  const took = performance.now() - begun;
  showMoreAt = begun + took + pauseFactor * took;
}

/** Those who write most have colours of their own. */
function rankWriters(): void {
  const counts = new Map<string, number>();
  const ofEach = new Int32Array(model.writers.length);
  for (const one of model.columns.writer) ofEach[one] = (ofEach[one] ?? 0) + 1;
  for (const [i, { name }] of model.writers.entries()) counts.set(name, (counts.get(name) ?? 0) + (ofEach[i] ?? 0));
  const order = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const rankOf = new Map(order.map((name, i) => [name, i]));
  ranks = Int32Array.from(model.writers, ({ name }) => rankOf.get(name) ?? 99);
  const entries = order.slice(0, 24).map((name, rank) => {
    const colour = element("i", {});
    colour.style.background = colours.writer(rank);
    return element("span", {}, colour, `${name} ${(counts.get(name) ?? 0).toLocaleString()}`);
  });
  legend.replaceChildren(...entries);
}

function choose(row: number | undefined, change?: number): void {
  if (row === undefined || rows[row] === undefined) return;
  chosen = { row, change };
  const top = row * rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + rowHeight - scroller.clientHeight;
  redraw();
}

function open(row: number, change?: number): void {
  const lane = rows[row]?.lane;
  if (lane === undefined) return;
  choose(row, change);
  const revision = change === undefined ? undefined : model.columns.revision[change];
  void details.show(lane, revision === undefined ? undefined : String(revision));
}

function fold(row: number, isFolded?: boolean): void {
  const found = rows[row];
  if (found === undefined || found.children === 0 || found.isFolded === isFolded) return;
  if (found.isFolded) unfolded.add(found.lane.index);
  else unfolded.delete(found.lane.index);
  isDirty = true;
  redraw();
}

function setSpan(ms: number): void {
  span = ms;
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-span]"))
    button.setAttribute("aria-pressed", String(Number(button.dataset.span) === ms));
  redraw();
}

function setLive(on: boolean): void {
  isLive = on;
  liveButton.setAttribute("aria-pressed", String(on));
  redraw();
}

function toggleLive(): void {
  setLive(!isLive);
}

/** Around a moment that stays where it is. */
function zoom(factor: number, around: number): void {
  const now = view();
  const next = Math.max(200, (now.to - now.from) * factor);
  const share = (now.to - around) / (now.to - now.from);
  if (!isLive) to = around + share * next;
  isSpanChosen = true;
  setSpan(next);
}

function pan(ms: number): void {
  const now = view();
  const latest = newestMoment();
  to = Math.min(latest, now.to + ms);
  if (span === 0) setSpan(now.to - now.from);
  if (to < latest) setLive(false);
  redraw();
}

const navigation: Navigation = { rows: () => rows, chosen: () => chosen?.row, view, choose, open, fold, zoom, pan, toggleLive };
listenToPointer({ model, details, canvas, scroller, names, tip }, navigation);
listenToKeys({ details, scroller, names, filter }, navigation);
filter.addEventListener("input", () => {
  isDirty = true;
  redraw();
});
systemButton.addEventListener("click", () => {
  isSystemShown = !isSystemShown;
  systemButton.setAttribute("aria-pressed", String(isSystemShown));
  isDirty = true;
  redraw();
});
showRecorded();
liveButton.addEventListener("click", toggleLive);
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-span]"))
  button.addEventListener("click", () => {
    isSpanChosen = true;
    setSpan(Number(button.dataset.span));
  });
scroller.addEventListener("scroll", redraw, { passive: true });
new ResizeObserver(redraw).observe(scroller);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours = palette();
  isDirty = true;
  redraw();
});

setSpan(span);
void loader.loadAll().then(() => facts.refresh());
void loader.follow();
setInterval(() => void (document.hidden ? undefined : facts.refresh()), 5_000);
