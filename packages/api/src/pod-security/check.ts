/** What checks of Pod security are made of, and the words that their messages share. */
import type { Container, EphemeralContainer, PodSpec, SecurityContext } from "@coxswain/types/core-v1";

/** The part of a Pod, or of a template of Pods, that is checked. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<PodSpec>;
}

/** What a Pod does that its level forbids: in a word, and in full. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export interface Check {
  /** Checks run in the order of their ids, those of `baseline` first. */
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** From which minor version of Kubernetes on which check applies, in rising order. */
  readonly versions: readonly VersionedCheck[];
}

export interface VersionedCheck {
  readonly since: number;
  readonly check: CheckPod;
  /** The baseline check that this one takes the place of. */
  readonly overrides?: string;
}

export type AnyContainer = Container | EphemeralContainer;

/** Init containers first. */
export const containersOf = ({ spec }: CheckedPod): readonly Readonly<AnyContainer>[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** The names of the containers for which something is so. */
export const namesWhere = (pod: CheckedPod, isSo: (container: Readonly<AnyContainer>) => boolean): readonly string[] =>
  containersOf(pod)
    .filter(isSo)
    .map(({ name }) => name);

/** The same by their security context. */
export const namesByContext = (pod: CheckedPod, isSo: (context: Readonly<SecurityContext>) => boolean): readonly string[] =>
  namesWhere(pod, ({ securityContext }) => securityContext !== undefined && isSo(securityContext));

export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(", ");

/** `container "a"`, `containers "a", "b"`. */
export const named = (word: string, names: readonly string[]): string => `${plural(word, names)} ${quoted(names)}`;

export const plural = (word: string, { length }: { readonly length: number }): string => (length === 1 ? word : `${word}s`);

/** `uses` of one, `use` of several. */
export const uses = ({ length }: { readonly length: number }): string => (length === 1 ? "uses" : "use");

/** Each once, in order. */
export const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();

/** Who sets something: the Pod, containers, or both. */
export const setters = (pod: boolean, names: readonly string[]): string =>
  [...(pod ? ["pod"] : []), ...(names.length > 0 ? [named("container", names)] : [])].join(" and ");

/** Of versions in which a Pod for Windows is not checked. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);

/** Of versions in which a Pod in a user namespace of its own is not checked. */
export const unlessUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
