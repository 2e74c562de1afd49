/** Objects that every Namespace has one of, always under the same name. */
import type { KubeObject, ObjectRef, SourceOptions } from "@coxswain/client";

/** Selects them by that name. */
export const ofName = (name: string): Pick<SourceOptions, "fieldSelector"> => ({ fieldSelector: `metadata.name=${name}` });

/** Wakes the Namespace that such an object is in. */
export const theNamespace = ({ metadata }: KubeObject): readonly ObjectRef[] => [{ name: metadata?.namespace ?? "" }];
