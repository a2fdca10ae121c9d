extension OpenAPIDocument {
    /// Part 4 of 4, written from `docs/api/openapi.yaml`.
    static let part4 = #"""
              required: [zone, name, siblings, ancestor]
              properties:
                zone: {type: string}
                name: {type: string}
                siblings: {type: array, minItems: 2, items: {$ref: "#/components/schemas/Sibling"}}
                ancestor: {oneOf: [{$ref: "#/components/schemas/Sibling"}, {type: "null"}]}
            Event:
              type: object
              required: [event, number]
              description: |
                `snapshot` has `token` and `zones`; `change` the members of a change and `token`; `zone` has
                `zone` and `deleted`; `peer` has `peer`; `sync` has `kind`, `zone`, `peer`, `count`,
                `succeeded`, `error`; `end` has `reason`.
              properties:
                event: {type: string, enum: [snapshot, change, zone, peer, sync, end]}
                number: {type: integer, minimum: 0}
                token: {type: string}

        """#
}
