/**
 * Which definitions of a group ask for a name that one of them gets. Where several servers share the definitions, two may each give the same
 * name at the same time: so a definition that gets names is written together with those that ask for the same, and of the two writes the
 * second is made on what is not there any more.
 */
import type { apiextensionsV1 } from "@coxswain/api";

type Crd = Readonly<apiextensionsV1.CustomResourceDefinition>;
type Names = Readonly<apiextensionsV1.CustomResourceDefinitionNames>;

export interface Contention {
  /** Those that ask for one of the names. */
  readonly rivals: readonly Crd[];
  /** A name that another one has already. */
  readonly taken: string | undefined;
}

/** Of the names that `next` has and `before` has not. */
export function contentionOf(before: Crd | undefined, next: Crd, others: Iterable<Crd>): Contention {
  const had = namesOf(before?.status?.acceptedNames);
  const got = new Set([...namesOf(next.status?.acceptedNames)].filter((name) => !had.has(name)));
  if (got.size === 0) return { rivals: [], taken: undefined };
  const firstShared = (names: Names | undefined): string | undefined => [...namesOf(names)].find((name) => got.has(name));
  const group = [...others].filter(({ metadata, spec }) => metadata?.name !== next.metadata?.name && spec.group === next.spec.group);
  const taken = group.map(({ status }) => firstShared(status?.acceptedNames)).find((name) => name !== undefined);
  return { rivals: group.filter(({ spec }) => firstShared(spec.names) !== undefined), taken: taken?.slice(taken.indexOf(" ") + 1) };
}

/** Names of resources and of kinds are apart. */
function namesOf(names: Names | undefined): ReadonlySet<string> {
  if (names === undefined) return new Set();
  const { plural, singular, shortNames = [], kind, listKind } = names;
  const named = (what: string, list: readonly (string | undefined)[]): string[] =>
    list.filter((name) => name).map((name) => `${what} ${name}`);
  return new Set([...named("resource", [plural, singular, ...shortNames]), ...named("kind", [kind, listKind])]);
}
