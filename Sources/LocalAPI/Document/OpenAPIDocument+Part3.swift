extension OpenAPIDocument {
    /// Part 3 of 6, written from `docs/api/openapi.yaml`.
    static let part3 = #"""
                          released: {type: integer, description: Writes that have left the quarantine for it.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/leave:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [sharing]
              operationId: leaveZone
              x-kairan-access: admin
              summary: Gives up this account's part in a zone of another account, for good and on all of its devices.
              responses:
                "200":
                  description: It is not listed any more.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [zone, rights, state]
                        properties:
                          zone: {type: string}
                          rights: {type: string, const: none}
                          state: {type: string, const: left}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/transfer:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [sharing]
              operationId: transferZone
              x-kairan-access: admin
              summary: Hands a zone over to an account that takes part in it.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [account]
                      additionalProperties: false
                      properties:
                        account: {$ref: "#/components/schemas/AccountReference"}
                        keep:
                          description: What this account may still do; nothing by default. With admin it may also bring others in.
                          $ref: "#/components/schemas/GrantableRights"
              responses:
                "200":
                  description: Who owns it now, and what this account may still do.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [zone, owner, rights]
                        properties:
                          zone: {type: string}
                          owner: {type: string}
                          rights: {type: string, enum: [none, read, append, write, admin]}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/public:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            put:
              tags: [sharing]
              operationId: setPublicAccess
              x-kairan-access: admin
              summary: Says what those may do in a zone who hold no right; what is not named stays.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        world: {$ref: "#/components/schemas/PublicRights"}
                        authenticated: {$ref: "#/components/schemas/PublicRights"}
                        creator: {$ref: "#/components/schemas/PublicRights"}
              responses:
                "200":
                  description: All that holds now.
                  content: {application/json: {schema: {$ref: "#/components/schemas/PublicAccess"}}}
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

        """#
}
