/** Kubernetes' own end-to-end tests, and the programs that run in their Pods, built from its Go module. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installed, type Ran, run } from "../client-program.ts";

const version = "v1.36.3";
const staging = version.replace("v1.", "v0.");
const buildMs = 60 * 60_000;

/** What of the module is built, and the name of each program. */
const programs: Readonly<Record<string, string>> = {
  __proto__: null as never,
  agnhost: "k8s.io/kubernetes/test/images/agnhost",
  nnp: "k8s.io/kubernetes/test/images/nonewprivs",
  consumer: "k8s.io/kubernetes/test/images/resource-consumer",
  "sample-apiserver": "k8s.io/sample-apiserver",
};

export interface Suite {
  /** The program of the tests. */
  readonly program: string;
  /** Where the other programs are. */
  readonly folder: string;
  /** Kubernetes' sources. */
  readonly source: string;
}

/** Takes a quarter of an hour the first time, and needs Go; throws what is missing. */
export async function builtSuite(): Promise<Suite> {
  const library = await installed({ name: "kubernetes-e2e", inputs: [version, JSON.stringify(programs)], install: build });
  if ("missing" in library) throw new Error(library.missing);
  const source = readFileSync(join(library.folder, "source"), "utf8");
  return { program: join(library.folder, "e2e.test"), folder: library.folder, source };
}

async function build(folder: string): Promise<Ran> {
  const go = (...args: readonly string[]): Promise<Ran> =>
    run("go", args, { cwd: folder, env: { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" }, timeoutMs: buildMs });
  writeFileSync(join(folder, "go.mod"), "module e2e\n");
  const downloaded = await go("mod", "download", "-json", `k8s.io/kubernetes@${version}`);
  if (downloaded.code !== 0) return downloaded;
  const { Dir: source, GoMod: module } = JSON.parse(downloaded.stdout) as { readonly Dir: string; readonly GoMod: string };
  writeFileSync(join(folder, "source"), source);
  writeFileSync(join(folder, "go.mod"), moduleFor(readFileSync(module, "utf8")));
  const imports = ["k8s.io/kubernetes/test/e2e", ...Object.values(programs).filter((path) => path !== "k8s.io/sample-apiserver")];
  writeFileSync(join(folder, "imports_test.go"), `package e2e\n\nimport (\n${imports.map((path) => `\t_ "${path}"\n`).join("")})\n`);
  const steps = [
    ["mod", "tidy", "-e"],
    ["get", `k8s.io/sample-apiserver@${staging}`],
    ["test", "-c", "-o", "e2e.test", "k8s.io/kubernetes/test/e2e"],
    ...Object.entries(programs).map(([name, path]) => ["build", "-o", name, path]),
  ];
  let ran = downloaded;
  for (const step of steps) {
    ran = await go(...step);
    if (ran.code !== 0) return ran;
  }
  return ran;
}

/** The modules that are one with Kubernetes have no version in its own file. */
function moduleFor(kubernetes: string): string {
  const own = [...kubernetes.matchAll(/^\t(k8s\.io\/[\w-]+) v0\.0\.0$/gm)].map(([, path]) => `\t${path} => ${path} ${staging}\n`);
  const go = /^go (\S+)$/m.exec(kubernetes)?.[1];
  return `module e2e\n\ngo ${go}\n\nrequire k8s.io/kubernetes ${version}\n\nreplace (\n${[...new Set(own)].join("")})\n`;
}
