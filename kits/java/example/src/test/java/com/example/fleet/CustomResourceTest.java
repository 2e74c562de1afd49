package com.example.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.coxswain.junit5.CoxswainTest;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Definitions are for a whole cluster, so this class has one of its own: the API server alone, with what establishes them. */
@CoxswainTest(args = "--apiserver-only", cluster = CoxswainTest.Sharing.CLASS)
class CustomResourceTest {
  private static final String DEFINITION = """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: fleets.example.com}
      spec:
        group: example.com
        scope: Namespaced
        names: {plural: fleets, singular: fleet, kind: Fleet}
        versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  required: [ships]
                  properties:
                    ships: {type: integer, minimum: 0}
                    prefix: {type: string, default: ship}
      """;

  private static GenericKubernetesResource fleet(Object ships) {
    String fleet = """
        apiVersion: example.com/v1
        kind: Fleet
        metadata: {name: red}
        spec: {ships: %s}
        """;
    return Serialization.unmarshal(fleet.formatted(ships), GenericKubernetesResource.class);
  }

  @Test
  void isServedWithItsSchema(KubernetesClient client) {
    CustomResourceDefinition definition = Serialization.unmarshal(DEFINITION, CustomResourceDefinition.class);
    client.resource(definition).create();
    client.resource(definition).waitUntilCondition(
        found -> found != null && found.getStatus() != null && found.getStatus().getConditions().stream()
            .anyMatch(condition -> condition.getType().equals("Established") && condition.getStatus().equals("True")),
        30, TimeUnit.SECONDS);
    GenericKubernetesResource made = client.resource(fleet(2)).create();
    assertEquals(Map.of("ships", 2, "prefix", "ship"), made.get("spec"));
    KubernetesClientException refused = assertThrows(KubernetesClientException.class, () -> client.resource(fleet("many")).update());
    assertEquals(422, refused.getCode());
  }
}
