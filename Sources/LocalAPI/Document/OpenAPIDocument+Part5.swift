extension OpenAPIDocument {
    /// Part 5 of 8, written from `docs/api/openapi.yaml`.
    static let part5 = #"""
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/quarantine:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [records]
              operationId: listZoneQuarantine
              x-kairan-access: read
              summary: Writes in one zone that count nowhere and wait for a decision, at most 1,000.
              responses:
                "200":
                  description: The writes.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/QuarantinedWrite"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/quarantine/{id}/adopt:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Quarantined"}]
            post:
              tags: [records]
              operationId: adoptQuarantined
              x-kairan-access: write
              summary: Says again, as a write of this device, what a quarantined write said.
              description: It is merged with what the record says by now. Adopting one write twice, here or elsewhere, counts once.
              responses:
                "200":
                  description: What was done.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [adopted]
                        properties: {adopted: {type: boolean, description: False when it had been adopted before.}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/quarantine/{id}:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Quarantined"}]
            delete:
              tags: [records]
              operationId: purgeQuarantined
              x-kairan-access: admin
              summary: Drops what a quarantined write said, on this device.
              responses:
                "204": {description: It is dropped.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/conflicts:
            get:
              tags: [records]
              operationId: listConflicts
              x-kairan-access: read
              summary: Records whose concurrent writes disagree.
              parameters:
                - {name: zone, in: query, description: Only of this zone., schema: {type: string}}
              responses:
                "200":
                  description: The conflicts.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Conflict"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/batch:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [bulk]
              operationId: writeBatch
              x-kairan-access: write
              summary: Several writes at once, by default all or none.
              requestBody:
                required: true
                description: At most 16 MiB.
                content:
                  application/json:
                    schema:
                      type: object
                      required: [writes]
                      additionalProperties: false
                      properties:
                        atomic: {type: boolean, default: true}
                        writes:
                          type: array
                          minItems: 1
                          maxItems: 10000
                          description: At most 1,024 when atomic.
                          items: {$ref: "#/components/schemas/NamedWrite"}
              responses:
                "200":
                  description: What became of the writes, in order. A refused atomic batch is answered by its refusal.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [saved, failed, results]
                        properties:
                          saved: {type: integer}
                          failed: {type: integer}
                          results:
                            type: array
                            items:
                              oneOf:
                                - {$ref: "#/components/schemas/Record"}
                                - {$ref: "#/components/schemas/Problem"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/import:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [bulk]
              operationId: importRecords
              x-kairan-access: write
              summary: Any number of writes, one a line, each for itself, confirmed while they are sent.
              description: |
                A line of the answer confirms that everything before it is on disk; its numbers count from the
                beginning, and `saved` and `failed` together are the number of lines that were looked at (blank
                ones aside). The last line has `done: true`. When going on makes no sense, for example because
                no space is left, the last line has `done: false` and the reason as `problem`: send the lines
                behind the counted ones again later.

                Read the answer while sending: it is not collected.
              requestBody:
                required: true
                description: Lines like those of an export, at most 2 MiB each; `version` is not looked at.
                content: {application/x-ndjson: {schema: {$ref: "#/components/schemas/NamedWrite"}}}
              responses:
                "200":
                  description: The progress.
                  content: {application/x-ndjson: {schema: {$ref: "#/components/schemas/ImportProgress"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/export:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [bulk]
              operationId: exportRecords
              x-kairan-access: read
              summary: All records, one a line, in the order of their names.
              description: An export that breaks off, that is without the end of the chunked encoding, is not complete.
              responses:
                "200":
                  description: The records.
                  content:
                    application/x-ndjson:
                      schema:
                        type: object
                        required: [name, type, fields, version]
                        properties:
                          name: {type: string}
                          type: {type: string}
                          fields: {$ref: "#/components/schemas/Fields"}
                          version: {type: string}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/changes:
            get:
              tags: [feeds]
              operationId: listChanges
              x-kairan-access: read
              summary: Changes of all zones behind a token, each record once at its newest position.
              parameters: [{$ref: "#/components/parameters/Since"}, {$ref: "#/components/parameters/Limit"}]
              responses:
                "200":
                  description: A page.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Changes"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/changes:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [feeds]
              operationId: listZoneChanges
              x-kairan-access: read
              summary: Changes of one zone behind a token.
              parameters: [{$ref: "#/components/parameters/Since"}, {$ref: "#/components/parameters/Limit"}]
              responses:
                "200":
                  description: A page.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Changes"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/events:
            get:
              tags: [feeds]
              operationId: watch
              x-kairan-access: read
              summary: A snapshot of the position, then events of all zones as they happen.
              description: |
                Server-sent events; the `data` of each is a JSON object, numbered from 0 without gaps. Events
                that one can resume behind have their change token as `id`. A comment keeps the connection alive
                every 15 seconds. The last event is `end` with a reason, for example when the reader was too
                slow or the daemon stops.
              parameters:
                - {$ref: "#/components/parameters/Since"}
                - {name: Last-Event-ID, in: header, description: The same as since., schema: {type: string}}
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {schema: {$ref: "#/components/schemas/Event"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}

        """#
}
