/** Helm's command, of the version and from the modules that tests/conformance/helm.test.ts has its library from: compiled once. */
import { join } from "node:path";
import { installed, readBeside, run } from "../conformance/client-program.ts";
import { root } from "../conformance/command-under-test.ts";

/** `missing` says why there is none. */
export async function installedHelm(): Promise<{ readonly program: string } | { readonly missing: string }> {
  if ((await run("go", ["version"], { timeoutMs: 60_000 })).code !== 0) return { missing: "Go is not installed" };
  const modules = join(root, "tests/conformance/helm");
  const library = await installed({
    name: "helm",
    inputs: [readBeside(modules, "go.sum")],
    install: (folder) => run("go", ["build", "-o", folder, "helm.sh/helm/v4/cmd/helm"], { cwd: modules, timeoutMs: 8 * 60_000 }),
  });
  return "missing" in library ? library : { program: join(library.folder, "helm") };
}
