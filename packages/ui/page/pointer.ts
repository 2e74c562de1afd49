/** The mouse and other pointers on the lanes and their names. */
import { rowHeight, timeAt, xOf } from "./chart.ts";
import type { Details } from "./details.ts";
import { clockTime } from "./element.ts";
import { firstNotBefore, type Model, operations } from "./model.ts";
import type { Navigation } from "./navigation.ts";

interface PointedAt {
  readonly model: Model;
  readonly details: Details;
  readonly canvas: HTMLCanvasElement;
  readonly scroller: HTMLElement;
  readonly names: HTMLElement;
  readonly tip: HTMLElement;
}

export function listenToPointer(on: PointedAt, navigation: Navigation): void {
  const { model, details, canvas, scroller, names, tip } = on;
  canvas.addEventListener("pointermove", (event) => {
    const found = changeAt(on, navigation, event.offsetX, event.offsetY);
    tip.hidden = found === undefined;
    if (found === undefined) return;
    const { revision, time, lane, writer, operation } = model.columns;
    const { change } = found;
    const by = model.writers[writer[change] as number];
    const at = clockTime(time[change] as number);
    const object = model.lanes[lane[change] as number];
    tip.textContent = `${object?.object.kind} ${object?.label}\n${operations[operation[change] as number]} by ${by?.name} at ${at}\nresourceVersion ${revision[change]}`;
    const left = names.clientWidth + event.offsetX + 14;
    tip.style.left = `${Math.min(left, scroller.clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${scroller.scrollTop + event.offsetY + 16}px`;
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    const row = Math.floor((event.offsetY + scroller.scrollTop) / rowHeight);
    const found = changeAt(on, navigation, event.offsetX, event.offsetY);
    if (found === undefined) return navigation.open(row);
    const lane = model.lanes[model.columns.lane[found.change] as number];
    const own = navigation.rows().findIndex((one) => one.lane === lane);
    if (own >= 0) navigation.open(own, found.change);
    else if (lane !== undefined) {
      navigation.choose(row);
      void details.show(lane, String(model.columns.revision[found.change]));
    }
  });
  scroller.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.shiftKey && event.deltaX === 0) return;
      event.preventDefault();
      const now = navigation.view();
      if (event.ctrlKey) navigation.zoom(Math.exp(event.deltaY / 300), timeAt(now, event.offsetX));
      else navigation.pan(((event.deltaX || event.deltaY) / now.width) * (now.to - now.from));
    },
    { passive: false },
  );
  names.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    const row = Number(target.closest<HTMLElement>(".name")?.dataset.row);
    if (target.classList.contains("fold")) navigation.fold(row);
    else if (!Number.isNaN(row)) navigation.open(row);
  });
}

/** The nearest change to a place on the chart. */
function changeAt(
  { model, scroller }: PointedAt,
  navigation: Navigation,
  x: number,
  y: number,
): { row: number; change: number } | undefined {
  const row = Math.floor((y + scroller.scrollTop) / rowHeight);
  const now = navigation.view();
  let best: { row: number; change: number; distance: number } | undefined;
  const { time } = model.columns;
  for (const lane of navigation.rows()[row]?.shown ?? []) {
    const changes = model.changesOf(lane);
    const at = firstNotBefore(changes, time, timeAt(now, x));
    for (const change of [changes[at - 1], changes[at]]) {
      if (change === undefined) continue;
      const distance = Math.abs(xOf(now, time[change] as number) - x);
      if (distance <= 7 && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { row, change, distance };
    }
  }
  return best;
}
