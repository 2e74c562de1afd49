/** The kits of other languages as they are published: built again only when they, or the executable that they carry, have changed. */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chosenPlatforms } from "../../scripts/build/executable/platforms.ts";
import { carriedExecutable, emptied, javaDir, pythonDir } from "../../scripts/build/kits/build-kits.ts";
import { deployJava, javaKit } from "../../scripts/build/kits/java-repository.ts";
import { buildWheel, type CarriedExecutable, pythonKit } from "../../scripts/build/kits/python-wheel.ts";
import { root } from "../../scripts/checks/tree.ts";
import { builtExecutable } from "./built-executable.ts";

export interface Wheels {
  /** Has them both, for pip. */
  readonly folder: string;
  /** For this platform, with the executable. */
  readonly platform: string;
  /** For every platform. */
  readonly universal: string;
}

/** @throws Error with what the build printed */
export async function builtWheels(): Promise<Wheels> {
  const folder = pythonDir;
  const executable = await executableToCarry();
  onceFor(folder, [pythonKit], executable, () => {
    buildWheel(folder, executable);
    buildWheel(folder);
  });
  const wheels = globSync("*.whl", { cwd: folder }).map((name) => join(folder, name));
  const universal = wheels.find((path) => path.endsWith("-none-any.whl")) ?? "";
  return { folder, universal, platform: wheels.find((path) => path !== universal) ?? "" };
}

/** A Maven repository with the jars, whose tests have run. @throws Error with what Maven printed */
export async function builtJavaRepository(): Promise<string> {
  const folder = javaDir;
  const executable = await executableToCarry();
  const env = { COXSWAIN_EXECUTABLE: executable.path };
  onceFor(folder, [javaKit], executable, () => deployJava({ folder, executable, env }));
  return folder;
}

/** The version that kits have to have. */
export const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };

async function executableToCarry(): Promise<CarriedExecutable> {
  await builtExecutable();
  return chosenPlatforms([]).map(carriedExecutable)[0] as CarriedExecutable;
}

function onceFor(folder: string, sources: readonly string[], executable: CarriedExecutable, build: () => void): void {
  const hash = createHash("sha256").update(readFileSync(executable.path));
  const files = [...sources, join(root, "scripts/build/kits")].flatMap((source) =>
    globSync(`${source}/**/*`, {
      withFileTypes: true,
      exclude: (entry) => /^(example|target|dist|__pycache__|\..*_cache)$/.test(entry.name),
    }),
  );
  for (const { parentPath, name } of files.filter((entry) => entry.isFile()))
    hash.update(`${parentPath}/${name}\0`).update(readFileSync(join(parentPath, name)));
  const key = hash.digest("hex");
  const stamp = join(folder, ".built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  emptied(folder);
  build();
  writeFileSync(stamp, key);
}
