/** Says when something in a folder has been changed, as far as the system says so. */
import { watch } from "node:fs";

/**
 * Calls back soon after a change, and sometimes without one. File systems of other machines report nothing, and where the system has
 * no more watches there are none: whoever must know looks from time to time, too.
 */
export function watchFolders(paths: Iterable<string>, onChange: () => void): Disposable {
  const watchers = [...new Set(paths)].flatMap((path) => {
    try {
      const watcher = watch(path, { persistent: false }, () => onChange());
      // A folder that goes away ends its watch.
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  return { [Symbol.dispose]: () => void watchers.map((watcher) => watcher.close()) };
}
