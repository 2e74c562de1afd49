/** The races that can be watched: what they are about, and the objects that they can begin with. */
import type { RaceDefinition, RaceSample } from "@coxswain/machinery";

const seat: RaceSample = {
  title: "a seat, as a ConfigMap",
  field: ".data.bookedBy",
  values: ['"Ann"', '"Bob"'],
  yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: seat-k-7
data:
  row: "k"
  bookedBy: ""
  waiting: ""
`,
};

/** Its definition is in the sandbox. */
const customSeat: RaceSample = {
  title: "a seat, as a custom resource",
  field: ".spec.bookedBy",
  values: ['"Ann"', '"Bob"'],
  yaml: `apiVersion: cinema.example/v1
kind: Seat
metadata:
  name: k-7
spec:
  row: k
`,
};

const web: RaceSample = {
  title: "a Deployment and its replicas",
  field: ".spec.replicas",
  values: ["5", "2"],
  yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: web:1
`,
};

const labelled: RaceSample = { ...web, title: "a Deployment and a label", field: ".metadata.labels.tier", values: ['"front"', '"back"'] };

const pod: RaceSample = {
  title: "a Pod",
  yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: web:1
    resources:
      requests:
        cpu: "1"
`,
};

export const raceDefinitions: readonly RaceDefinition[] = [
  {
    name: "seat",
    title: "Two clients, one seat",
    description:
      "Ann and Bob want the same seat of a cinema. Both read that it is free, both book it. There is no lock: who writes names the version that was read, and the server takes the write if that is still the newest.",
    samples: [seat, customSeat, web],
  },
  {
    name: "pod",
    title: "Scheduler and kubelet, one Pod",
    description:
      "The real scheduler and the real kubelet of a node write to one Pod, and so does an agent that sends the whole status. What the two want to send waits until you let it through, in any order. Most of it are patches of fields that are theirs, for any version of the Pod; the agent writes for the version that it read, and so does a scheduler that finds no node.",
    samples: [pod],
  },
  {
    name: "apply",
    title: "Two appliers, one field",
    description:
      "Two teams apply an object each with the fields that they care about. Whose field it is stands in the object, as managed fields. Who applies another's field with another value gets a conflict that no retry mends: somebody has to decide, by force or by leaving the field out.",
    samples: [web, labelled],
  },
  {
    name: "loop",
    title: "Two controllers that fight",
    description:
      "Two controllers each want another value in one field. No write is wrong and hardly one is refused, and it never ends. The controllers' own detector says so after a while, in their logs and as an Event.",
    samples: [{ ...web, values: ["5", "3"] }, seat],
  },
];

export const definitionOf = (name: string): RaceDefinition | undefined => raceDefinitions.find((one) => one.name === name);
