// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { ObjectReference } from "./core-v1.ts";
import type { ListMeta } from "./meta-v1.ts";

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  zone?: string;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  apiVersion?: string;
  endpoints?: Endpoint[];
  kind?: string;
  metadata?: Meta;
  ports?: EndpointPort[];
}

export interface EndpointSliceList {
  apiVersion?: string;
  items: EndpointSlice[];
  kind?: string;
  metadata?: ListMeta;
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
