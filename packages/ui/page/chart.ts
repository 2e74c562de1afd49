/** Draws the lanes that can be seen: what lived when, and a mark for each change. */
import type { Palette } from "./colours.ts";
import { firstNotBefore, type Model } from "./model.ts";
import type { Row } from "./tree.ts";

export const rowHeight = 24;

export interface View {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** What is known of a lane beyond its changes. */
export interface LaneFacts {
  /** From when on it was in which phase. */
  readonly phases: readonly { readonly at: number; readonly phase: string }[];
  readonly events: readonly { readonly at: number; readonly isWarning: boolean }[];
  /** `readAt`: when the version was written that the loser had read. */
  readonly conflicts: readonly { readonly at: number; readonly readAt: number | undefined }[];
}

export interface Scene {
  readonly model: Model;
  readonly rows: readonly Row[];
  /** Index of the first row, and its place on the canvas. */
  readonly first: number;
  readonly offset: number;
  readonly count: number;
  readonly view: View;
  readonly palette: Palette;
  /** The rank of each writer among those with colours. */
  readonly ranks: Int32Array;
  readonly factsOf: (lane: number) => LaneFacts | undefined;
  /** The place in the columns of the chosen change. */
  readonly chosen: { readonly row: number; readonly change: number | undefined } | undefined;
}

export const xOf = ({ from, to, width }: View, time: number): number => ((time - from) / (to - from)) * width;
export const timeAt = ({ from, to, width }: View, x: number): number => from + (x / width) * (to - from);

const markWidth = 4;

export function drawLanes(context: CanvasRenderingContext2D, scene: Scene): void {
  const { rows, first, offset, count, view, palette, chosen } = scene;
  context.clearRect(0, 0, view.width, context.canvas.height);
  for (let i = 0; i < count && first + i < rows.length; i++) {
    const row = rows[first + i] as Row;
    const y = offset + i * rowHeight;
    if (chosen?.row === first + i) {
      context.fillStyle = palette.chosen;
      context.fillRect(0, y, view.width, rowHeight);
    }
    context.fillStyle = palette.line;
    context.fillRect(0, y + rowHeight - 1, view.width, 1);
    drawLife(context, scene, row, y);
    for (const lane of row.shown) drawMarks(context, scene, { lane, y, isOwn: lane === row.lane.index });
    drawDeletions(context, scene, row.lane.index, y);
    drawFacts(context, scene, row.lane.index, y);
  }
}

/** From its creation, or the left edge, to its deletion: behind the marks, in the colours of a Pod's phases where they are known. */
function drawLife(context: CanvasRenderingContext2D, { model, view, palette, factsOf }: Scene, row: Row, y: number): void {
  const { time, operation } = model.columns;
  const turns = model.turnsOf(row.lane.index);
  let start = 0;
  const bar = (from: number, to: number, colour: string): void => {
    const left = Math.max(0, from);
    const right = Math.min(view.width, to);
    if (right <= left) return;
    context.fillStyle = colour;
    context.fillRect(left, y + 5, right - left, rowHeight - 11);
  };
  const { phases = [] } = factsOf(row.lane.index) ?? {};
  const life = (from: number, to: number): void => {
    bar(from, to, palette.line);
    for (const [i, { at, phase }] of phases.entries()) {
      const colour = palette.phases[phase];
      const until = phases[i + 1]?.at;
      if (colour !== undefined) bar(Math.max(from, xOf(view, at)), Math.min(to, until === undefined ? to : xOf(view, until)), colour);
    }
  };
  for (const change of turns) {
    const x = xOf(view, time[change] as number);
    if (operation[change] === 2) life(start, x);
    else start = x;
  }
  if (!isGone(model, row.lane.index)) life(start, view.width);
}

/** Whether its object was deleted by the last that is known of it. */
export function isGone(model: Model, lane: number): boolean {
  const last = model.changesOf(lane).at(-1);
  return last !== undefined && model.columns.operation[last] === 2;
}

interface Marks {
  readonly lane: number;
  readonly y: number;
  readonly isOwn: boolean;
}

/** Where marks would lie on each other, one stands for all of them. */
function drawMarks(context: CanvasRenderingContext2D, { model, view, palette, ranks, chosen }: Scene, { lane, y, isOwn }: Marks): void {
  const { time, writer } = model.columns;
  const changes = model.changesOf(lane);
  const pixel = (view.to - view.from) / view.width;
  let at = firstNotBefore(changes, time, view.from);
  const top = isOwn ? y + 3 : y + 8;
  const height = isOwn ? rowHeight - 7 : rowHeight - 17;
  while (at < changes.length) {
    const change = changes[at] as number;
    const when = time[change] as number;
    if (when > view.to) break;
    const x = Math.round(xOf(view, when));
    context.fillStyle = palette.writer(ranks[writer[change] as number] as number);
    context.fillRect(x - markWidth / 2, top, markWidth, height);
    if (chosen?.change === change) {
      context.strokeStyle = palette.text;
      context.lineWidth = 2;
      context.strokeRect(x - 5, y + 1.5, 10, rowHeight - 4);
    }
    at = nextAfter(changes, time, { at, until: when + pixel });
  }
}

/** On top of the marks of what was written before. */
function drawDeletions(context: CanvasRenderingContext2D, { model, view, palette }: Scene, lane: number, y: number): void {
  const { time, operation } = model.columns;
  context.fillStyle = palette.bad;
  for (const change of model.turnsOf(lane)) {
    if (operation[change] !== 2) continue;
    const x = Math.round(xOf(view, time[change] as number));
    context.fillRect(x - 1, y + 3, 2, rowHeight - 7);
    context.fillRect(x - 4, y + 3, 8, 2);
  }
}

/** The next change that is not on the same pixel. */
function nextAfter(changes: Int32Array, times: Float64Array, { at, until }: { readonly at: number; readonly until: number }): number {
  let next = at + 1;
  if (next < changes.length && (times[changes[next] as number] as number) < until) {
    const skipped = firstNotBefore(changes.subarray(next), times, until);
    next += Math.max(1, skipped);
  }
  return next;
}

function drawFacts(context: CanvasRenderingContext2D, { view, palette, factsOf }: Scene, lane: number, y: number): void {
  const facts = factsOf(lane);
  if (facts === undefined) return;
  for (const { at, isWarning } of facts.events) {
    const x = xOf(view, at);
    if (x < -4 || x > view.width + 4) continue;
    context.fillStyle = isWarning ? palette.warning : palette.muted;
    context.beginPath();
    context.moveTo(x - 4, y + 1);
    context.lineTo(x + 4, y + 1);
    context.lineTo(x, y + 7);
    context.fill();
  }
  for (const { at, readAt } of facts.conflicts) {
    const x = xOf(view, at);
    if (x < -6 || x > view.width + 6) continue;
    context.fillStyle = palette.bad;
    // From what was read to the refusal: what lies between was missed.
    if (readAt !== undefined) context.fillRect(xOf(view, readAt), y + rowHeight / 2 - 2, x - xOf(view, readAt), 2);
    context.beginPath();
    context.moveTo(x, y + 4);
    context.lineTo(x + 6, y + rowHeight / 2 - 1);
    context.lineTo(x, y + rowHeight - 6);
    context.lineTo(x - 6, y + rowHeight / 2 - 1);
    context.fill();
  }
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map((seconds) => seconds * 1_000);

/** The times above the lanes. */
export function drawAxis(context: CanvasRenderingContext2D, view: View, palette: Palette): void {
  const { from, to, width } = view;
  context.clearRect(0, 0, width, 28);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  const step = steps.find((ms) => ((to - from) / ms) * 84 < width) ?? 86_400_000;
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step) {
    const x = Math.round(xOf(view, at));
    context.fillStyle = palette.line;
    context.fillRect(x, 20, 1, 8);
    context.fillStyle = palette.muted;
    const text = clockText(at, step);
    const wide = context.measureText(text).width;
    if (x - wide / 2 > 0 && x + wide / 2 < width) context.fillText(text, x - wide / 2, 11);
  }
}

function clockText(at: number, step: number): string {
  const options =
    step >= 86_400_000
      ? { dateStyle: "short" as const }
      : step < 60_000
        ? { timeStyle: "medium" as const }
        : { timeStyle: "short" as const };
  return new Intl.DateTimeFormat(undefined, options).format(at);
}
