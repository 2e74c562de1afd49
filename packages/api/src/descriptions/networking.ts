import type { Texts } from "./texts.ts";

export const networkingTexts: Texts = {
  Ingress: { "": "Rules by which HTTP from outside reaches Services.", spec: "The rules.", status: "Where traffic goes in." },
  IngressSpec: {
    "": "Rules for HTTP from outside.",
    defaultBackend: "Who answers what no rule matches.",
    ingressClassName: "The IngressClass whose controller serves it.",
    rules: "Rules by host.",
    tls: "Certificates by host.",
  },
  IngressRule: {
    "": "Rules for one host.",
    host: "Name of the host; *.example.com for all one level below. By default any.",
    http: "Rules by path.",
  },
  HTTPIngressRuleValue: { "": "Rules by path.", paths: "The paths." },
  HTTPIngressPath: {
    "": "Where requests for a path go.",
    backend: "Who answers.",
    path: "The path.",
    pathType: "Exact, Prefix (by whole elements) or ImplementationSpecific.",
  },
  IngressBackend: { "": "Who answers: a Service or another object.", resource: "An object in the namespace.", service: "A Service." },
  IngressServiceBackend: { "": "A Service and its port.", name: "Name of the Service.", port: "Its port." },
  ServiceBackendPort: { "": "A port of a Service, by name or number.", name: "Its name.", number: "Its number." },
  IngressTLS: { "": "A certificate.", hosts: "The hosts it is for.", secretName: "The Secret that holds it." },
  IngressStatus: { "": "What is known of an Ingress.", loadBalancer: "Where traffic goes in." },
  IngressLoadBalancerStatus: { "": "A load balancer.", ingress: "Where traffic goes in." },
  IngressLoadBalancerIngress: { "": "A place where traffic goes in.", hostname: "Its name.", ip: "Its address.", ports: "Its ports." },
  IngressClass: { "": "A controller that serves Ingresses.", spec: "Which controller." },
  IngressClassSpec: {
    "": "Which controller serves the Ingresses of a class.",
    controller: "Name of the controller. It never changes.",
    parameters: "An object with its settings.",
  },
  NetworkPolicy: { "": "Which traffic Pods may send and get.", spec: "The rules." },
  NetworkPolicySpec: {
    "": "Which traffic is allowed. For selected Pods, what no policy allows is denied.",
    egress: "Traffic the Pods may send.",
    ingress: "Traffic the Pods may get.",
    podSelector: "Selects the Pods. An empty one selects all in the namespace.",
    policyTypes: "Which directions the policy is about: Ingress, Egress or both.",
  },
  NetworkPolicyIngressRule: {
    "": "Traffic that is allowed in.",
    from: "From whom. Empty means anybody.",
    ports: "To which ports. Empty means all.",
  },
  NetworkPolicyEgressRule: {
    "": "Traffic that is allowed out.",
    ports: "To which ports. Empty means all.",
    to: "To whom. Empty means anybody.",
  },
  NetworkPolicyPeer: {
    "": "Who is at the other end.",
    ipBlock: "Addresses.",
    namespaceSelector: "Pods in selected namespaces.",
    podSelector: "Selected Pods.",
  },
  NetworkPolicyPort: { "": "Ports.", endPort: "The last of a range.", port: "Number or name.", protocol: "TCP, UDP or SCTP. Default TCP." },
  IPBlock: { "": "A range of addresses.", cidr: "The range, such as 192.0.2.0/24.", except: "Ranges within that are left out." },
};
