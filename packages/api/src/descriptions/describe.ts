import type { Descriptions } from "./load.ts";

const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

/** Texts of a type, with those for the fields that mean the same in every object. */
export const describe: Descriptions = (type) => texts[type] ?? {};
