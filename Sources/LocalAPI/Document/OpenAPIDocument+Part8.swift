extension OpenAPIDocument {
    /// Part 8 of 8, written from `docs/api/openapi.yaml`.
    static let part8 = #"""
              type: object
              required: [zone, name, siblings, ancestor]
              properties:
                zone: {type: string}
                name: {type: string}
                siblings: {type: array, minItems: 2, items: {$ref: "#/components/schemas/Sibling"}}
                ancestor: {oneOf: [{$ref: "#/components/schemas/Sibling"}, {type: "null"}]}
            QuarantinedWrite:
              type: object
              required: [id, zone, record, type, deletion, author, reason, written_at, size]
              properties:
                id: {type: string, description: What it is called by within its zone.}
                zone: {type: string}
                record: {type: string, description: The record's name.}
                type: {type: string, description: The record's type.}
                deletion: {type: boolean, description: Whether it deletes the record.}
                author: {type: string, description: The device that wrote it.}
                reason:
                  type: string
                  enum: [above_cut, forked, out_of_right]
                  description: |
                    `above_cut`: written after its device or its right was removed; `forked`: on a history of a log that has two,
                    taken over by itself; `out_of_right`: not within what its author may write.
                written_at: {type: string, format: date-time, description: By its author's clock.}
                size: {type: integer, description: Bytes that it takes.}
            Event:
              type: object
              required: [event, number]
              description: |
                `snapshot` has `token` and `zones`; `change` the members of a change and `token`; `zone` has
                `zone` and `deleted`; `peer` has `peer`; `sync` has `kind`, `zone`, `peer`, `count`,
                `succeeded`, `error`; `quarantine` has the id of the `zone` whose quarantine is not as it was; `end` has `reason`. A `zone` is told when it appears, when this account may do something
                else in it, and, as `deleted`, when it is not shown any more.
              properties:
                event: {type: string, enum: [snapshot, change, zone, peer, sync, quarantine, end]}
                number: {type: integer, minimum: 0}
                token: {type: string}

        """#
}
