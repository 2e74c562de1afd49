/**
 * Builds what is published: a folder for each package in dist/npm, as `npm publish` takes it, and with `--pack` a tarball of
 * each in dist/tarballs. A release names where its sources are kept in public: `--repository git+https://…`.
 * `--go` packs the Go kit in dist/go, for GOPROXY=file://…; `--python` makes the wheels in dist/python, and `--java` a Maven
 * repository in dist/maven, both with the executables that are there.
 * With `--executable` it makes the single executable in dist/executable instead, for this platform or for those that are named;
 * with `--image` that and the container image in dist/image.
 *
 * usage: node scripts/build.ts [--pack] [--repository URL]
 *        node scripts/build.ts --go | --python | --java
 *        node scripts/build.ts --executable [all | linux-x64 | linux-arm64 | darwin-arm64 …]
 *        node scripts/build.ts --image [all | amd64 | arm64]
 */
import { parseArgs } from "node:util";
import { buildPackages, packagesDir, packPackages, tarballsDir } from "./build/build-packages.ts";
import { buildExecutables } from "./build/executable/build-executable.ts";
import { chosenPlatforms } from "./build/executable/platforms.ts";
import { buildImage, chosenArchitectures, imagePath } from "./build/image/build-image.ts";
import { buildJava, buildPython, javaDir } from "./build/kits/build-kits.ts";
import { goProxyDir, packGoModule } from "./build/kits/go-module.ts";

const { values, positionals } = parseArgs({
  options: {
    pack: { type: "boolean", default: false },
    repository: { type: "string" },
    executable: { type: "boolean", default: false },
    image: { type: "boolean", default: false },
    go: { type: "boolean", default: false },
    python: { type: "boolean", default: false },
    java: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`;
if (values.image) {
  const { name, bytes } = await buildImage(chosenArchitectures(positionals));
  console.log(`built ${name} in ${imagePath}, ${megabytes(bytes)}`);
} else if (values.executable) {
  for (const { path, bytes } of await buildExecutables(chosenPlatforms(positionals))) console.log(`built ${path}, ${megabytes(bytes)}`);
} else if (values.go) {
  const { path, version } = packGoModule();
  console.log(`packed ${path} ${version} in ${goProxyDir}`);
} else if (values.python) {
  for (const wheel of buildPython()) console.log(`built ${wheel}`);
} else if (values.java) {
  buildJava();
  console.log(`deployed to ${javaDir}`);
} else {
  await buildPackages(values.repository);
  console.log(`built ${packagesDir}`);
  if (values.pack) console.log(`packed ${packPackages().size} packages in ${tarballsDir}`);
}
