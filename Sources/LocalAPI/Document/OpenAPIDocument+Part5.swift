extension OpenAPIDocument {
    /// Part 5 of 5, written from `docs/api/openapi.yaml`.
    static let part5 = #"""
                token: {type: string, description: Continue from here; durable.}
                more: {type: boolean}
            Change:
              type: object
              required: [kind, record, by_sync]
              properties:
                kind: {type: string, enum: [save, delete]}
                record: {$ref: "#/components/schemas/Record"}
                by_sync: {type: boolean, description: Whether the newest change came from a peer.}
            Sibling:
              type: object
              required: [version, by, fields]
              properties: {version: {type: string}, by: {type: string}, fields: {$ref: "#/components/schemas/Fields"}}
            Conflict:
              type: object
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
