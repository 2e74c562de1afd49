/**
 * Whether one type fits where another is asked for, and what the free parameters between them then stand for.
 * The rules are cel-go's, which are looser than equality: `dyn` fits everywhere, and null fits messages.
 */

import { type CelType, dynType, listOf, mapOf, opaqueType, typeOfTypes } from "./type.ts";
import { sameType } from "./type-text.ts";

/** What parameters were found to stand for, by their names. */
export type Substitutions = ReadonlyMap<string, CelType>;

/** Whether `from` may be used as `to`; if so, what parameters stand for then is added to `known`. */
export function assign(known: Map<string, CelType>, from: readonly CelType[], to: readonly CelType[]): boolean {
  const trial = new Trial(known);
  if (fitsAll(trial, from, to)) return true;
  trial.undo();
  return false;
}

/** @param freeAsDyn what still stands for nothing becomes `dyn` */
export function substitute(known: Substitutions, type: CelType, freeAsDyn: boolean): CelType {
  const inner = (part: CelType) => substitute(known, part, freeAsDyn);
  switch (type.kind) {
    case "param": {
      const found = known.get(type.name);
      if (found) return inner(found);
      return freeAsDyn ? dynType : type;
    }
    case "list":
      return listOf(inner(type.item));
    case "map":
      return mapOf(inner(type.key), inner(type.value));
    case "opaque":
      return type.parameters.length === 0 ? type : opaqueType(type.name, ...type.parameters.map(inner));
    case "type":
      return typeOfTypes(inner(type.of));
    default:
      return type;
  }
}

/** Of two types that fit each other, the one that says less. */
export const moreGeneralType = (a: CelType, b: CelType): CelType => (isLessSpecific(a, b) ? a : b);

/** What an optional is of; undefined when it is none. */
export const unwrapOptional = (type: CelType): CelType | undefined =>
  type.kind === "opaque" && type.name === "optional_type" ? (type.parameters[0] ?? dynType) : undefined;

/** A long expression has thousands of parameters: a trial remembers what it changes instead of copying them. */
class Trial {
  readonly #known: Map<string, CelType>;
  #changed: [name: string, before: CelType | undefined][] | undefined;

  constructor(known: Map<string, CelType>) {
    this.#known = known;
  }

  get(name: string): CelType | undefined {
    return this.#known.get(name);
  }

  set(name: string, type: CelType): void {
    this.#changed ??= [];
    this.#changed.push([name, this.#known.get(name)]);
    this.#known.set(name, type);
  }

  undo(): void {
    for (const [name, before] of this.#changed?.reverse() ?? []) {
      if (before === undefined) this.#known.delete(name);
      else this.#known.set(name, before);
    }
  }
}

const fitsAll = (trial: Trial, from: readonly CelType[], to: readonly CelType[]): boolean =>
  from.length === to.length && from.every((type, index) => fits(trial, type, to[index] ?? dynType));

function fits(trial: Trial, from: CelType, to: CelType): boolean {
  if (to.kind === "param") {
    const bound = bind(trial, from, to);
    if (bound !== "undecided") return bound;
  }
  if (from.kind === "param") return bind(trial, to, from) === true;
  if (isLoose(from) || isLoose(to)) return true;
  if (from.kind === "null") return isNullable(to);
  if (to.kind === "null") return isNullable(from);
  if (to.kind === "wrapper") return sameType(from.kind === "wrapper" ? from.of : from, to.of);
  if (from.kind !== to.kind) return false;
  const toParts = typeParts(to);
  const fromParts = typeParts(from);
  if (from.kind === "type") return true;
  if (toParts.length === 0 && fromParts.length === 0) return sameType(from, to);
  return nameOf(from) === nameOf(to) && fitsAll(trial, fromParts, toParts);
}

/** Whether a parameter may stand for a type: false when it stands for another already, undecided when it would contain itself. */
function bind(trial: Trial, type: CelType, param: CelType & { kind: "param" }): boolean | "undecided" {
  if (sameType(type, param)) return true;
  const found = trial.get(param.name);
  if (found) {
    if (sameType(type, found)) return true;
    if (!fits(trial, type, found)) return false;
    const general = moreGeneralType(type, found);
    if (!occurs(trial, param, general)) trial.set(param.name, general);
    return true;
  }
  if (occurs(trial, param, type)) return "undecided";
  trial.set(param.name, type);
  return true;
}

function occurs(trial: Trial, param: CelType & { kind: "param" }, within: CelType): boolean {
  if (within.kind === "param") {
    if (within.name === param.name) return true;
    const found = trial.get(within.name);
    return found !== undefined && occurs(trial, param, found);
  }
  return typeParts(within).some((part) => occurs(trial, param, part));
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  const others = typeParts(b);
  const own = typeParts(a);
  if (own.length === 0) return sameType(a, b);
  return (
    nameOf(a) === nameOf(b) && own.length === others.length && own.every((part, index) => isLessSpecific(part, others[index] ?? dynType))
  );
}

/** The types within one. */
export function typeParts(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case "list":
      return [type.item];
    case "map":
      return [type.key, type.value];
    case "opaque":
      return type.parameters;
    case "type":
      return [type.of];
    default:
      return [];
  }
}

const isLoose = ({ kind }: CelType) => kind === "dyn" || kind === "error";
const nameOf = (type: CelType) => (type.kind === "opaque" ? type.name : type.kind);
const isNullable = (type: CelType) => /^(?:null|wrapper|opaque|object|timestamp|duration)$/.test(type.kind);
