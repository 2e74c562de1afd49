/** Our packages for files of users, such as plugins of the scheduler: those in the executable, without an installation. */
import { registerHooks } from "node:module";
import { isOwnPackage, ownPackageChunk } from "../command/own-package-chunk.ts";

type Load = (chunk: string) => Record<string, unknown>;

declare global {
  /** Set by the executable for the modules that `provideOwnPackages` makes. */
  var coxswainChunk: Load | undefined;
}

/** From here on, an import of one of our packages gives what this program has of it, whatever is installed beside the importer. */
export function provideOwnPackages(load: Load): void {
  const scheme = "coxswain:";
  globalThis.coxswainChunk = load;
  registerHooks({
    resolve: (specifier, context, next) =>
      isOwnPackage(specifier) ? { url: `${scheme}${ownPackageChunk(specifier)}.js`, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      url.startsWith(scheme)
        ? { format: "module", source: moduleFor(load, url.slice(scheme.length)), shortCircuit: true }
        : next(url, context),
  });
}

/** A module that exports what a chunk does. @throws Error when there is none */
function moduleFor(load: Load, chunk: string): string {
  const names = Object.keys(load(chunk)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default");
  return `export const { ${names.join(", ")} } = globalThis.coxswainChunk(${JSON.stringify(chunk)});`;
}
