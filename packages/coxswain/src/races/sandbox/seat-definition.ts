/** The custom resource of the cinema, which a sandbox has when a Seat is raced for. */
export const seatDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: seats.cinema.example }
spec:
  group: cinema.example
  scope: Namespaced
  names: { plural: seats, singular: seat, kind: Seat }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              properties:
                row: { type: string }
                bookedBy: { type: string }
                waiting: { type: string }
`;

export const seatApiVersion = "cinema.example/v1";
