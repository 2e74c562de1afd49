import { testRules } from "../rules-under-test.ts";

const crd = {
  metadata: { name: "seats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "seats", kind: "Seat" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

testRules([
  {
    name: "nothing wrong with a plain definition",
    of: ["apiextensions.k8s.io", "v1", "customresourcedefinitions"],
    object: crd,
    expect: [],
  },
  {
    name: "a definition's columns",
    of: ["apiextensions.k8s.io", "v1", "customresourcedefinitions"],
    object: {
      ...crd,
      spec: { ...crd.spec, versions: [{ ...crd.spec.versions[0], additionalPrinterColumns: [{ name: "N", type: "text", jsonPath: "" }] }] },
    },
    expect: [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
    ],
  },
]);
