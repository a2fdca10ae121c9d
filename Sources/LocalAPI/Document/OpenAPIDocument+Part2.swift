extension OpenAPIDocument {
    /// Part 2 of 4, written from `docs/api/openapi.yaml`.
    static let part2 = #"""
            post:
              tags: [zones]
              operationId: createZone
              summary: Makes a zone of this account.
              requestBody:
                required: true
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [zones]
              operationId: getZone
              summary: One zone with the standing of the other devices.
              responses:
                "200":
                  description: The zone.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Zone"}}}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [zones]
              operationId: deleteZone
              summary: Deletes a zone on all devices.
              responses:
                "204": {description: It is deleted.}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [records]
              operationId: listRecords
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records/{name}:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Name"}]
            get:
              tags: [records]
              operationId: getRecord
              summary: One record.
              responses:
                "200":
                  description: The record.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                default: {$ref: "#/components/responses/Problem"}
            put:
              tags: [records]
              operationId: putRecord
              summary: Creates or changes a record. Fields that are not named stay.
              requestBody:
                required: true
                description: At most 2 MiB.
                content: {application/json: {schema: {$ref: "#/components/schemas/Write"}}}
              responses:
                "200":
                  description: The record as it is now.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [records]
              operationId: deleteRecord
              summary: Deletes a record.
              parameters:
                - {name: if_version, in: query, description: Only if this is its version., schema: {type: string}}
              responses:
                "200":
                  description: The deletion.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Record"}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/records/{name}/resolve:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Name"}]
            post:
              tags: [records]
              operationId: resolveConflict
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/conflicts:
            get:
              tags: [records]
              operationId: listConflicts
              summary: Records whose concurrent writes disagree.
              parameters:
                - {name: zone, in: query, description: Only of this zone., schema: {type: string}}
              responses:
                "200":
                  description: The conflicts.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Conflict"}}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/batch:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [bulk]
              operationId: writeBatch
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/import:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [bulk]
              operationId: importRecords
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/export:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [bulk]
              operationId: exportRecords
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/changes:
            get:
              tags: [feeds]

        """#
}
