/** The program that runs specs in several processes at once: of the version that the suite was built with. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installed, type Ran, run } from "../client-program.ts";
import type { Suite } from "./suite.ts";

const module = "github.com/onsi/ginkgo/v2";

/** Throws what is missing. */
export async function builtGinkgo({ folder }: Suite): Promise<string> {
  const version = new RegExp(`${module} (\\S+)`).exec(readFileSync(join(folder, "go.mod"), "utf8"))?.[1] ?? "";
  const library = await installed({ name: "ginkgo", inputs: [version], install: (target) => build(folder, target) });
  if ("missing" in library) throw new Error(library.missing);
  return join(library.folder, "ginkgo");
}

async function build(suite: string, folder: string): Promise<Ran> {
  for (const name of ["go.mod", "go.sum"]) copyFileSync(join(suite, name), join(folder, name));
  const env = { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  return await run("go", ["build", "-o", "ginkgo", `${module}/ginkgo`], { cwd: folder, env, timeoutMs: 20 * 60_000 });
}
