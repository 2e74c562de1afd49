/** What a user does with kubectl to a custom resource: telescopes, as `definition.yaml` defines them. */
import { join } from "node:path";
import type { Step } from "./steps.ts";

export const definitionFile = join(import.meta.dirname, "definition.yaml");
const crd = "customresourcedefinition.apiextensions.k8s.io/telescopes.sky.example.com";

export const telescope = (name: string, spec: object, more = {}): string =>
  JSON.stringify({ apiVersion: "sky.example.com/v1", kind: "Telescope", metadata: { name, ...more }, spec });

/** Without what is filled in inside of lists: kubectl takes such lists for changed, whatever the server answers. */
const near = telescope("near", { site: "hill", mirrors: 2, aperture: 1.5, instruments: [{ name: "eye", kind: "camera" }] });

const define: Step[] = [
  { run: ["apply", "-f", definitionFile], prints: `${crd} created` },
  { run: "wait --for=condition=Established crd/telescopes.sky.example.com --timeout=5m", prints: `${crd} condition met` },
  { run: ["apply", "-f", definitionFile], prints: `${crd} unchanged` },
  { run: ["diff", "-f", definitionFile], prints: "" },
  { run: "get crd", prints: /^NAME +CREATED AT\ntelescopes\.sky\.example\.com +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  {
    run: "describe crd telescopes.sky.example.com",
    prints: /Name: +telescopes\.sky\.example\.com[\s\S]*Reason: +InitialNamesAccepted[\s\S]*Stored Versions:\n +v1/,
  },
  {
    run: "api-resources --api-group=sky.example.com",
    prints: /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\ntelescopes +scope,tel +sky\.example\.com\/v1 +true +Telescope$/,
  },
  { run: "api-versions", prints: /^sky\.example\.com\/v1$/m },
];

const explain: Step[] = [
  {
    run: "explain telescope",
    prints:
      /^GROUP: +sky\.example\.com\nKIND: +Telescope\nVERSION: +v1\n\nDESCRIPTION:\n +A telescope gathers light\.[\s\S]*metadata\t<ObjectMeta>[\s\S]*spec\t<Object> -required-\n +What is wanted\.\n/,
  },
  // The words that client suites look for.
  {
    run: "explain telescope",
    prints:
      /apiVersion\t<string>\n +APIVersion defines [\s\S]*kind\t<string>\n +Kind is a string [\s\S]*metadata\t<ObjectMeta>\n +Standard object's metadata/,
  },
  {
    run: "explain telescope.metadata",
    prints: /DESCRIPTION:\s+Standard object's metadata[\s\S]*FIELDS:[\s\S]*creationTimestamp\t<string>\n +CreationTimestamp is a timestamp/,
  },
  {
    run: "explain tel.spec.instruments.kind",
    prints: /FIELD: kind <string>\n(ENUM:\n +camera\n +spectrograph\n)?[\s\S]*What it does with the light\./,
  },
  { run: "explain scope.spec --recursive", prints: /instruments\t<\[\]Object>\n[^\n]*kind\t<string>[\s\S]*name\t<string> -required-/ },
  { run: "explain telescope.spec.lens", code: 1, complains: /field "lens" does not exist/ },
];

const create: Step[] = [
  { run: "get telescopes", prints: "", complains: /No resources found in default namespace\./ },
  { run: "apply -f -", stdin: near, prints: "telescope.sky.example.com/near created" },
  { run: "apply -f -", stdin: near, prints: "telescope.sky.example.com/near unchanged" },
  { run: "diff -f -", stdin: near, prints: "" },
  {
    run: "create -f -",
    stdin: telescope("far", { site: "moon" }, { labels: { by: "night" } }),
    prints: "telescope.sky.example.com/far created",
  },
  {
    run: "create -f -",
    stdin: telescope("far", { site: "moon" }),
    code: 1,
    complains: /telescopes\.sky\.example\.com "far" already exists/,
  },
  {
    run: "create -f -",
    stdin: telescope("bad", { site: "", mirrors: "two" }),
    code: 1,
    complains:
      /The Telescope "bad" is invalid:[\s\S]*spec\.mirrors: Invalid value: "string": spec\.mirrors in body must be of type integer: "string"/,
  },
  { run: "create -f -", stdin: telescope("typo", { site: "hill", miror: 1 }), code: 1, complains: /unknown field "spec\.miror"/ },
  { run: "create --validate=false -f -", stdin: telescope("typo", { site: "hill", miror: 1 }), prints: /typo created/ },
  { run: "get telescope typo -o jsonpath={.spec}", prints: '{"mirrors":1,"site":"hill"}' },
  { run: "delete telescope typo", prints: /^telescope\.sky\.example\.com "typo" deleted/ },
];

const get: Step[] = [
  {
    run: "get telescopes",
    prints: /^NAME +SITE +MIRRORS +READY +AGE\nfar +moon +1 + +\d+s\nnear +hill +2 + +\d+s$/,
  },
  { run: "get tel near -o wide", prints: /^NAME +SITE +MIRRORS +READY +AGE +APERTURE\nnear +hill +2 + +\d+s +1\.5$/ },
  { run: "get optics -o name", prints: "telescope.sky.example.com/far\ntelescope.sky.example.com/near" },
  { run: "get all -o name", prints: /telescope\.sky\.example\.com\/near/ },
  { run: "get telescopes.v1.sky.example.com far -o name", prints: "telescope.sky.example.com/far" },
  { run: "get tel -A --no-headers", prints: /^default +far +moon +1 + +\d+s\ndefault +near +hill/ },
  { run: "get tel --sort-by=.spec.mirrors --no-headers", prints: /^far [^\n]*\nnear/ },
  { run: "get tel -l by=night -o name", prints: "telescope.sky.example.com/far" },
  { run: "get tel --field-selector=spec.site=hill -o name", prints: "telescope.sky.example.com/near" },
  { run: "get tel --field-selector=metadata.name=far -o name", prints: "telescope.sky.example.com/far" },
  { run: "get tel --field-selector=spec.mirrors=1", code: 1, complains: /field label not supported: spec\.mirrors/ },
  { run: "get tel --chunk-size=1 -o name", prints: "telescope.sky.example.com/far\ntelescope.sky.example.com/near" },
  {
    run: "get tel near -o yaml",
    prints:
      /^apiVersion: sky\.example\.com\/v1\nkind: Telescope\n[\s\S]*\nspec:\n {2}aperture: 1\.5\n {2}instruments:\n {2}- kind: camera\n {4}name: eye\n {2}mirrors: 2\n {2}site: hill$/,
  },
  { run: "get tel near -o custom-columns=A:.spec.aperture,I:.spec.instruments[*].name", prints: /^A +I\n1\.5 +eye$/ },
  {
    run: "describe tel near",
    prints: /Name: +near\n[\s\S]*API Version: +sky\.example\.com\/v1\n[\s\S]*Aperture: +1\.5[\s\S]*Events: +<none>/,
  },
  { run: "get tel absent", code: 1, complains: /telescopes\.sky\.example\.com "absent" not found/ },
];

const change: Step[] = [
  { run: "label tel near by=day", prints: "telescope.sky.example.com/near labeled" },
  { run: "annotate tel near note=hello", prints: /^telescope\.sky\.example\.com\/near annotated?$/ },
  {
    run: ["patch", "tel", "near", "--type=merge", "-p", '{"spec":{"aperture":2}}'],
    prints: "telescope.sky.example.com/near patched",
  },
  {
    run: ["patch", "tel", "near", "--type=merge", "-p", '{"spec":{"aperture":2}}'],
    prints: "telescope.sky.example.com/near patched (no change)",
  },
  {
    run: [
      "patch",
      "tel",
      "near",
      "--type=json",
      "-p",
      '[{"op":"add","path":"/spec/instruments/-","value":{"name":"prism","kind":"spectrograph"}}]',
    ],
    prints: "telescope.sky.example.com/near patched",
  },
  {
    run: ["patch", "tel", "near", "-p", '{"spec":{"aperture":3}}'],
    code: 1,
    complains:
      /the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
  },
  {
    run: [
      "patch",
      "tel",
      "near",
      "--subresource=status",
      "--type=merge",
      "-p",
      '{"status":{"mirrors":2,"conditions":[{"type":"Ready","status":"True"}]}}',
    ],
    prints: "telescope.sky.example.com/near patched",
  },
  { run: "get tel near --no-headers", prints: /^near +hill +2 +True +\d+s$/ },
  { run: "wait --for=condition=Ready tel/near --timeout=5m", prints: "telescope.sky.example.com/near condition met" },
  { run: "wait --for=jsonpath={.status.mirrors}=2 tel/near --timeout=5m", prints: "telescope.sky.example.com/near condition met" },
  { run: "scale tel near --replicas=5", prints: "telescope.sky.example.com/near scaled" },
  { run: "scale tel near --replicas=6 --current-replicas=4", code: 1, complains: /Expected replicas to be 4, was 5/ },
  { run: "get tel near -o jsonpath={.spec.mirrors}:{.metadata.generation}", prints: "5:4" },
  { run: "get tel near --subresource=scale -o jsonpath={.spec.replicas}/{.status.replicas}", prints: "5/2" },
  { run: "edit tel near", env: { KUBE_EDITOR: "sed -i s/hello/hullo/" }, prints: "telescope.sky.example.com/near edited" },
  { run: "get tel near -o jsonpath={.metadata.annotations.note}", prints: "hullo" },
  { run: "edit tel near", env: { KUBE_EDITOR: "true" }, complains: /Edit cancelled, no changes made/ },
  { run: "apply -f -", stdin: near, prints: "telescope.sky.example.com/near configured" },
  { run: "get tel near -o jsonpath={.spec.instruments[*].name}:{.spec.mirrors}", prints: "eye:2" },
  { run: "replace -f -", stdin: telescope("far", { site: "sea" }), prints: "telescope.sky.example.com/far replaced" },
];

const serverSide = "apply --server-side -f -";
const applied = "telescope.sky.example.com/shared serverside-applied";
const apply: Step[] = [
  { run: serverSide, stdin: telescope("shared", { site: "hill", instruments: [{ name: "eye" }] }), prints: applied },
  { run: serverSide, stdin: telescope("shared", { site: "hill", instruments: [{ name: "eye" }] }), prints: applied },
  {
    run: `${serverSide} --field-manager=other`,
    stdin: telescope("shared", { site: "hill", instruments: [{ name: "prism" }] }),
    prints: applied,
  },
  {
    run: `${serverSide} --field-manager=other`,
    stdin: telescope("shared", { site: "sea" }),
    code: 1,
    complains: /Apply failed with 1 conflict: conflict with "kubectl": \.spec\.site/,
  },
  { run: "get tel shared -o jsonpath={.spec.instruments[*].name}", prints: "eye prism" },
  { run: `${serverSide} --field-manager=other --force-conflicts`, stdin: telescope("shared", { site: "sea" }), prints: applied },
  { run: "get tel shared -o jsonpath={.spec.instruments[*].name}:{.spec.site}", prints: "eye:sea" },
  {
    run: "get tel shared --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}",
    prints: "kubectl other",
  },
  {
    run: "apply --server-side -f -",
    stdin: telescope("nothing", { site: null }),
    code: 1,
    complains: /Telescope[\s\S]*"nothing" is invalid: spec\.site: Invalid value: "null": spec\.site in body must be of type string: "null"/,
  },
];

const remove: Step[] = [
  { run: "delete tel far", prints: /^telescope\.sky\.example\.com "far" deleted/ },
  {
    run: "delete crd telescopes.sky.example.com --timeout=5m",
    prints: /^customresourcedefinition\.apiextensions\.k8s\.io "telescopes\.sky\.example\.com" deleted/,
  },
  { run: "get crd", prints: "", complains: /No resources found/ },
  {
    run: "get telescopes",
    code: 1,
    complains: /(the server doesn't have a resource type "telescopes"|Unable to list|could not find the requested resource)/,
  },
  { run: ["apply", "-f", definitionFile], prints: `${crd} created` },
  { run: "wait --for=condition=Established crd/telescopes.sky.example.com --timeout=5m", prints: `${crd} condition met` },
  { run: "get telescopes", prints: "", complains: /No resources found/ },
];

export const customResourceSteps: readonly Step[] = [...define, ...explain, ...create, ...get, ...change, ...apply];
export const removalSteps: readonly Step[] = remove;
