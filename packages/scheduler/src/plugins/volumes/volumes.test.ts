/** The plugins that look at volumes and not at what binds them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { nodeVolumeLimits } from "../node-volume-limits/node-volume-limits.ts";
import { volumeRestrictions } from "../volume-restrictions/volume-restrictions.ts";
import { volumeZone } from "../volume-zone/volume-zone.ts";
import { handleOf, type Objects, snapshotOf } from "./objects-under-test.ts";

const pod = (name: string, ...volumes: readonly object[]) => ({
  metadata: { name, namespace: "default", uid: name },
  spec: { containers: [], volumes: volumes.map((volume, i) => ({ name: `v${i}`, ...volume })) },
});
const uses = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const disk = (pdName: string, readOnly: boolean) => ({ gcePersistentDisk: { pdName, readOnly } });
const claim = (name: string, spec: object) => ({ metadata: { name, namespace: "default" }, spec });
const zone = "topology.kubernetes.io/zone";
const csi = (name: string) => ({ metadata: { name }, spec: { csi: { driver: "d", volumeHandle: name } } });
const oneOfEach: Objects = {
  persistentvolumeclaims: [
    claim("alone", { accessModes: ["ReadWriteOncePod"] }),
    claim("shared", { accessModes: ["ReadWriteMany"] }),
    claim("in-z", { volumeName: "in-z" }),
    claim("in-y-z", { volumeName: "in-y-z" }),
    claim("immediate", { storageClassName: "now" }),
    claim("delayed", { storageClassName: "later" }),
    claim("classless", {}),
    claim("one", { volumeName: "one" }),
    claim("two", { volumeName: "two" }),
    claim("new", { storageClassName: "later" }),
  ],
  persistentvolumes: [
    { metadata: { name: "in-z", labels: { [zone]: "z" } } },
    { metadata: { name: "in-y-z", labels: { "failure-domain.beta.kubernetes.io/zone": "y__z" } } },
    csi("one"),
    csi("two"),
  ],
  storageclasses: [
    { metadata: { name: "now" }, provisioner: "d", volumeBindingMode: "Immediate" },
    { metadata: { name: "later" }, provisioner: "d", volumeBindingMode: "WaitForFirstConsumer" },
  ],
  csinodes: [{ metadata: { name: "n" }, spec: { drivers: [{ name: "d", nodeID: "n", allocatable: { count: 1 } }] } }],
};
const attachment = { metadata: { name: "at" }, spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "two" } } };

interface Case {
  readonly name: string;
  readonly plugin: PluginFactory;
  readonly there?: readonly object[];
  readonly wants: readonly object[];
  readonly labels?: Record<string, string>;
  readonly objects?: Objects;
  /** Empty: it fits. */
  readonly expect: string;
}

const inUse = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

const cases: readonly Case[] = [
  {
    name: "VolumeRestrictions: a disk that another Pod of the node writes, the node is rejected",
    plugin: volumeRestrictions,
    there: [disk("a", true)],
    wants: [disk("a", false)],
    expect: "node(s) had no available disk",
  },
  {
    name: "VolumeRestrictions: a disk that all Pods only read, the node is feasible",
    plugin: volumeRestrictions,
    there: [disk("a", true)],
    wants: [disk("a", true)],
    expect: "",
  },
  {
    name: "VolumeRestrictions: a Pod of the node uses another disk, the node is feasible",
    plugin: volumeRestrictions,
    there: [disk("a", false)],
    wants: [disk("b", false)],
    expect: "",
  },
  {
    name: "VolumeRestrictions: a ReadWriteOncePod claim that another Pod uses, the Pod is rejected",
    plugin: volumeRestrictions,
    there: [uses("alone")],
    wants: [uses("alone")],
    expect: inUse,
  },
  {
    name: "VolumeRestrictions: a ReadWriteOncePod claim that no Pod uses, Filter is skipped",
    plugin: volumeRestrictions,
    wants: [uses("alone")],
    expect: "skip",
  },
  {
    name: "VolumeRestrictions: a claim for several Pods, Filter is skipped",
    plugin: volumeRestrictions,
    there: [uses("shared")],
    wants: [uses("shared")],
    expect: "skip",
  },
  {
    name: "VolumeRestrictions: a claim that does not exist, the Pod is rejected",
    plugin: volumeRestrictions,
    wants: [uses("x")],
    expect: 'persistentvolumeclaim "x" not found',
  },
  {
    name: "VolumeZone: a volume in the zone of the node, the node is feasible",
    plugin: volumeZone,
    wants: [uses("in-z")],
    labels: { [zone]: "z" },
    expect: "",
  },
  {
    name: "VolumeZone: a volume in another zone, the node is rejected",
    plugin: volumeZone,
    wants: [uses("in-z")],
    labels: { [zone]: "y" },
    expect: "node(s) had no available volume zone",
  },
  {
    name: "VolumeZone: a volume whose deprecated label has two zones, a node of one of them is feasible",
    plugin: volumeZone,
    wants: [uses("in-y-z")],
    labels: { [zone]: "y" },
    expect: "",
  },
  { name: "VolumeZone: a node without zone labels is feasible", plugin: volumeZone, wants: [uses("in-z")], expect: "" },
  {
    name: "VolumeZone: an unbound claim of a class with immediate binding, the Pod is rejected",
    plugin: volumeZone,
    wants: [uses("immediate")],
    expect: "PersistentVolume had no name",
  },
  {
    name: "VolumeZone: an unbound claim of a class that waits for the first consumer, Filter is skipped",
    plugin: volumeZone,
    wants: [uses("delayed")],
    expect: "skip",
  },
  {
    name: "VolumeZone: an unbound claim without a class, the Pod is rejected",
    plugin: volumeZone,
    wants: [uses("classless")],
    expect: "PersistentVolumeClaim had no pv name and storageClass name",
  },
  {
    name: "NodeVolumeLimits: one volume with a limit of one, the node is feasible",
    plugin: nodeVolumeLimits,
    wants: [uses("one")],
    expect: "",
  },
  {
    name: "NodeVolumeLimits: two volumes with a limit of one, the node is rejected",
    plugin: nodeVolumeLimits,
    wants: [uses("one"), uses("two")],
    expect: "node(s) exceed max volume count",
  },
  {
    name: "NodeVolumeLimits: a second volume beside that of another Pod, the node is rejected",
    plugin: nodeVolumeLimits,
    there: [uses("one")],
    wants: [uses("new")],
    expect: "node(s) exceed max volume count",
  },
  {
    name: "NodeVolumeLimits: the volume of another Pod of the node counts once, the node is feasible",
    plugin: nodeVolumeLimits,
    there: [uses("one")],
    wants: [uses("one")],
    expect: "",
  },
  {
    name: "NodeVolumeLimits: a VolumeAttachment of a volume that no Pod uses counts, the node is rejected",
    plugin: nodeVolumeLimits,
    wants: [uses("one")],
    objects: { volumeattachments: [attachment] },
    expect: "node(s) exceed max volume count",
  },
];

for (const { name, plugin: factory, there = [], wants, labels = {}, objects = {}, expect } of cases)
  test(name, () => {
    const node = newNodeInfo({ metadata: { name: "n", labels } }, [pod("there", ...there)]);
    const plugin = factory({}, handleOf({ objects: { ...oneOfEach, ...objects }, nodes: [node] }));
    const state = createCycleState();
    const info = newPodInfo(pod("p", ...wants));
    const first = plugin.preFilter?.(state, info, snapshotOf([node]));
    if (first === skip) return assert.equal("skip", expect);
    const status = first !== undefined && "code" in first ? first : plugin.filter?.(state, info, node);
    assert.equal(status?.reasons.join() ?? "", expect);
  });
