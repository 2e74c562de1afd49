/** Arithmetic on bounds of sizes and costs. They are unsigned 64-bit integers that stop at the largest instead of overflowing. */
import type { SizeBounds } from "../environment/library.ts";

/** The largest size and cost. Nothing computes with it exactly: the limits are far smaller. */
export const unbounded = 2 ** 64;

export const unknownSize: SizeBounds = { min: 0, max: unbounded };

/** Of traversing a string, for each of its characters; several cost functions charge twice that. */
export const traversalFactor = 0.1;
/** Of applying a regular expression, for each character of its text. */
export const patternFactor = 0.25;

/** Of making a list, a map or a message, besides its parts. */
export const listCost = 10;
export const mapCost = 30;
export const messageCost = 40;

export const exactly = (size: number): SizeBounds => ({ min: size, max: size });

export const plus = (a: SizeBounds, b: SizeBounds): SizeBounds => ({ min: saturated(a.min + b.min), max: saturated(a.max + b.max) });

export const times = (a: SizeBounds, b: SizeBounds): SizeBounds => ({ min: saturated(a.min * b.min), max: saturated(a.max * b.max) });

/** Rounded up. */
export const scaled = (bounds: SizeBounds, factor: number): SizeBounds => ({
  min: saturated(Math.ceil(bounds.min * factor)),
  max: saturated(Math.ceil(bounds.max * factor)),
});

/** The bounds of what may be the one or the other. */
export const either = (a: SizeBounds, b: SizeBounds): SizeBounds => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

export const saturated = (n: number): number => Math.min(n, unbounded);
