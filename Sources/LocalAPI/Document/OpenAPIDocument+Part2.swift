extension OpenAPIDocument {
    /// Part 2 of 4, written from `docs/api/openapi.yaml`.
    static let part2 = #"""
                content:
                  application/json:
                    schema:
                      type: object
                      required: [name, container]
                      additionalProperties: false
                      properties:
                        name: {type: string, minLength: 1, maxLength: 255}
                        container: {type: string, minLength: 1, maxLength: 255}
                        history: {type: string, enum: [full, fromJoin], default: full}
              responses:
                "201":
                  description: The zone.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Zone"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [zones]
              operationId: getZone
              x-kairan-access: read
              summary: One zone with the standing of the other devices.
              responses:
                "200":
                  description: The zone.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Zone"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [zones]
              operationId: deleteZone
              x-kairan-access: write
              summary: Deletes a zone on all devices.
              responses:
                "204": {description: It is deleted.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [records]
              operationId: listRecords
              x-kairan-access: read
              summary: Records in the order of their names.
              parameters:
                - {name: after, in: query, description: Start behind this name., schema: {type: string}}
                - {$ref: "#/components/parameters/Limit"}
              responses:
                "200":
                  description: A page.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [records, next]
                        properties:
                          records: {type: array, items: {$ref: "#/components/schemas/Record"}}
                          next: {type: [string, "null"], description: Continue behind this name; null at the end.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records/{name}:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Name"}]
            get:
              tags: [records]
              operationId: getRecord
              x-kairan-access: read
              summary: One record.
              responses:
                "200":
                  description: The record.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            put:
              tags: [records]
              operationId: putRecord
              x-kairan-access: write
              summary: Creates or changes a record. Fields that are not named stay.
              requestBody:
                required: true
                description: At most 2 MiB.
                content: {application/json: {schema: {$ref: "#/components/schemas/Write"}}}
              responses:
                "200":
                  description: The record as it is now.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [records]
              operationId: deleteRecord
              x-kairan-access: write
              summary: Deletes a record.
              parameters:
                - {name: if_version, in: query, description: Only if this is its version., schema: {type: string}}
              responses:
                "200":
                  description: The deletion.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records/{name}/resolve:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Name"}]
            post:
              tags: [records]
              operationId: resolveConflict
              x-kairan-access: write
              summary: Ends a conflict with one side or with fields.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      oneOf:
                        - type: object
                          required: [take]
                          properties: {take: {type: string}}
                          additionalProperties: false
                        - type: object
                          required: [fields]
                          properties: {fields: {$ref: "#/components/schemas/Fields"}}
                          additionalProperties: false
              responses:
                "200":
                  description: The record as it is now.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
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

        """#
}
