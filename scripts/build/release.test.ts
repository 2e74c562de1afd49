import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseProblems, type StagedManifest } from "./release.ts";

const repository = { url: "git+https://example.com/coxswain.git" };
const machinery: StagedManifest = { name: "@coxswain/machinery", version: "0.2.0", repository };
const client: StagedManifest = {
  name: "@coxswain/client",
  version: "0.2.0",
  repository,
  dependencies: { "@coxswain/machinery": "0.2.0", ws: "8.0.0" },
};
const changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n";

const cases = [
  { name: "a release", manifests: [machinery, client], changelog, expect: [] },
  {
    name: "versions out of step",
    manifests: [machinery, { ...client, version: "0.3.0", dependencies: { "@coxswain/machinery": "0.1.0" } }],
    changelog,
    expect: ["the packages have several versions: 0.2.0, 0.3.0", "@coxswain/client depends on @coxswain/machinery 0.1.0, not 0.2.0"],
  },
  {
    name: "a dependency that comes later",
    manifests: [client, machinery],
    changelog,
    expect: ["@coxswain/client is published before @coxswain/machinery, on which it depends"],
  },
  {
    name: "a version that is not in the changelog",
    manifests: [machinery, client],
    changelog: "## [Unreleased]\n\n## [0.2.0-rc.1] - 2026-11-20\n",
    expect: ['CHANGELOG.md has no section "## [0.2.0] - DATE"'],
  },
  {
    name: "packages without a repository",
    manifests: [machinery, { name: "@coxswain/types", version: "0.2.0" }],
    changelog,
    expect: ["the packages do not name a repository: build them with --repository git+https://…, which npm compares with the provenance"],
  },
];
for (const { name, manifests, changelog, expect } of cases)
  test(`${name}: ${expect.length === 0 ? "nothing" : "what"} is wrong`, () =>
    assert.deepEqual(releaseProblems(manifests, { changelog, dryRun: false }), expect));

test("a dry run needs neither repository nor changelog", () =>
  assert.deepEqual(releaseProblems([{ name: "@coxswain/types", version: "0.2.0" }], { changelog: "", dryRun: true }), []));
