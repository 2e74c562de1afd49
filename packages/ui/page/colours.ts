/** Each writer has a colour: those who write most have the ones that are told apart best. */

const light = ["#2f6fdb", "#d9731a", "#2f9e58", "#a64ac9", "#c2334d", "#0b8f9c", "#8a6d1a", "#5b5bd6", "#c44a8f", "#4d7c0f"];
const dark = ["#6ea8fe", "#ff9f4a", "#5fd38a", "#d08cf0", "#ff7a8e", "#4fd2de", "#d9b84a", "#9d9dff", "#ff8ac4", "#a3d65c"];

/** Hues that lie so far apart come close to each other last. Degrees. */
const goldenAngle = 137.5;

export interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly bad: string;
  readonly chosen: string;
  readonly warning: string;
  writer(rank: number): string;
  readonly phases: Readonly<Record<string, string>>;
}

/** As the page is now: it follows what the system prefers. */
export function palette(): Palette {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  const colours = isDark ? dark : light;
  return {
    text: of("--text"),
    muted: of("--muted"),
    line: of("--line"),
    bad: of("--bad"),
    chosen: of("--chosen"),
    warning: isDark ? "#ffb347" : "#b25d00",
    writer: (rank) => colours[rank] ?? `hsl(${Math.round(rank * goldenAngle) % 360} ${isDark ? "60% 68%" : "55% 42%"})`,
    phases: isDark
      ? { Pending: "#4a3f1d", Running: "#1f4029", Succeeded: "#1f3550", Failed: "#55231e" }
      : { Pending: "#fdf0c8", Running: "#dcf2e0", Succeeded: "#dbe8fb", Failed: "#fadcd8" },
  };
}
