extension OpenAPIDocument {
    /// Part 2 of 5, written from `docs/api/openapi.yaml`.
    static let part2 = #"""
              responses:
                "201":
                  description: The offer.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Offer"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/offers/{ticket}:
            get:
              tags: [pairing]
              operationId: awaitPairing
              x-kairan-access: admin
              summary: Waits for the outcome of an offer.
              parameters:
                - {name: ticket, in: path, required: true, schema: {type: string}}
                - name: wait_ms
                  in: query
                  description: How long to wait.
                  schema: {type: integer, minimum: 0, maximum: 60000, default: 0}
              responses:
                "200":
                  description: It ended well.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Pairing"}}}
                "204": {description: Nothing happened in this time. Ask again.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/accept:
            post:
              tags: [pairing]
              operationId: acceptPairing
              x-kairan-access: admin
              summary: Joins the account that offers a ticket; looks for it for about a minute.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [ticket]
                      properties: {ticket: {type: string}}
                      additionalProperties: false
              responses:
                "200":
                  description: This device is in.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Pairing"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones:
            get:
              tags: [zones]
              operationId: listZones
              x-kairan-access: read
              summary: All live zones, or those of one database.
              parameters:
                - name: database
                  in: query
                  description: Only the zones that this database shows.
                  schema: {$ref: "#/components/schemas/Database"}
              responses:
                "200":
                  description: The zones.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Zone"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            post:
              tags: [zones]
              operationId: createZone
              x-kairan-access: write
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
              summary: Deletes a zone on all devices. Only its owner can (`zone.foreign`).
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

        """#
}
