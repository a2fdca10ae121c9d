extension OpenAPIDocument {
    /// Part 4 of 7, written from `docs/api/openapi.yaml`.
    static let part4 = #"""
              summary: "Blocks an account on all devices of this one: its devices are not talked to, and no invitation lets it in."
              responses:
                "200":
                  description: It is blocked.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Block"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [sharing]
              operationId: unblockAccount
              x-kairan-access: admin
              summary: Ends the block of an account.
              responses:
                "204": {description: It is not blocked.}
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
          /v1/quarantine:
            get:
              tags: [records]
              operationId: listQuarantine
              x-kairan-access: read
              summary: Writes that count nowhere and wait for a decision, at most 1,000.
              responses:
                "200":
                  description: The writes.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/QuarantinedWrite"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
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

        """#
}
