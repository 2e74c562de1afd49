/**
 * Modules for schemas and expressions are loaded when something first needs them: a server that has neither custom
 * resources nor policies starts sooner and takes less memory without.
 */
const loaders: (() => Promise<void>)[] = [];
let loaded = 0;

/** A module that `loadDynamic` loads; the result returns it. @throws Error before `loadDynamic` has settled */
export function lazyModule<M>(load: () => Promise<M>): () => M {
  let module: M | undefined;
  loaders.push(async () => {
    module = await load();
  });
  return () => {
    if (module === undefined) throw new Error("schemas and expressions are not loaded; wait for loadDynamic() first");
    return module;
  };
}

/** Loads every lazy module: until then nothing may ask about the type and the strategy of a definition that `needsDynamic`. */
export async function loadDynamic(): Promise<void> {
  const all = loaders.length;
  if (loaded === all) return;
  await Promise.all(loaders.map((load) => load()));
  loaded = all;
}

/** Whether nothing may be asked about the definition's type and strategy before `loadDynamic`. */
export const needsDynamic = ({ group, custom }: { readonly group: string; readonly custom?: unknown }): boolean =>
  loaded < loaders.length && (custom !== undefined || groups.has(group));

/** The groups whose kinds have schemas or expressions in them. */
const groups: ReadonlySet<string> = new Set(["admissionregistration.k8s.io", "apiextensions.k8s.io", "resource.k8s.io"]);
