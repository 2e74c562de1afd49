/** Loaded before modules of users, such as plugins of the scheduler, are: they get what the bundle has of our packages. */
import module from "node:module";
import { isOwnPackage, ownPackageChunk } from "./own-package-chunk.ts";

// Bun and Deno have no hooks; there they get what is installed beside them.
module.registerHooks?.({
  resolve: (specifier, context, next) =>
    isOwnPackage(specifier)
      ? { url: new URL(`./${ownPackageChunk(specifier)}.js`, import.meta.url).href, format: "commonjs", shortCircuit: true }
      : next(specifier, context),
});
