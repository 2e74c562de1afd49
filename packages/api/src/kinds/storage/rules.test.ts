import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "that a storage class stays",
    of: ["storage.k8s.io", "v1", "storageclasses"],
    object: { provisioner: "b", reclaimPolicy: "Retain", allowVolumeExpansion: true },
    before: { provisioner: "a" },
    expect: ['provisioner: Invalid value: "b": field is immutable', 'reclaimPolicy: Invalid value: "Retain": field is immutable'],
  },
  {
    name: "a volume attachment's source",
    of: ["storage.k8s.io", "v1", "volumeattachments"],
    object: { spec: { attacher: "a", nodeName: "n", source: {} } },
    expect: ["spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"],
  },
  {
    name: "two drivers of one name",
    of: ["storage.k8s.io", "v1", "csinodes"],
    object: {
      spec: {
        drivers: [
          { name: "d", nodeID: "1" },
          { name: "d", nodeID: "" },
        ],
      },
    },
    expect: ["spec.drivers[1].nodeID: Required value", 'spec.drivers[1].name: Duplicate value: "d"'],
  },
  {
    name: "an attributes class without parameters",
    of: ["storage.k8s.io", "v1", "volumeattributesclasses"],
    object: { driverName: "d" },
    expect: ["parameters: Required value: must contain at least one key/value pair"],
  },
]);
