/**
 * Builds what is published: a folder for each package in dist/npm, as `npm publish` takes it, and with `--pack` a tarball of
 * each in dist/tarballs. A release names where its sources are kept in public: `--repository git+https://…`.
 *
 * usage: node scripts/build.ts [--pack] [--repository URL]
 */
import { parseArgs } from "node:util";
import { buildPackages, packagesDir, packPackages, tarballsDir } from "./build/build-packages.ts";

const { values } = parseArgs({ options: { pack: { type: "boolean", default: false }, repository: { type: "string" } } });
await buildPackages(values.repository);
console.log(`built ${packagesDir}`);
if (values.pack) console.log(`packed ${packPackages().size} packages in ${tarballsDir}`);
