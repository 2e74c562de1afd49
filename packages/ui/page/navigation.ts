/** What pointer and keyboard can do with the lanes. */
import type { View } from "./chart.ts";
import type { Row } from "./tree.ts";

export interface Navigation {
  rows(): readonly Row[];
  /** The chosen row. */
  chosen(): number | undefined;
  view(): View;
  choose(row: number | undefined, change?: number): void;
  /** Beside the lanes, at one of its changes or at the newest. */
  open(row: number, change?: number): void;
  /** Folds or unfolds, by default what it is not. */
  fold(row: number, isFolded?: boolean): void;
  /** Around a moment that stays where it is. */
  zoom(factor: number, around: number): void;
  pan(ms: number): void;
  toggleLive(): void;
}
