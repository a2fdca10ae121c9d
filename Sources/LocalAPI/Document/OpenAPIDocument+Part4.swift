extension OpenAPIDocument {
    /// Part 4 of 8, written from `docs/api/openapi.yaml`.
    static let part4 = #"""
              operationId: blockAccount
              x-kairan-access: admin
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
          /v1/joins:
            get:
              tags: [sharing]
              operationId: listJoins
              x-kairan-access: admin
              summary: >-
                The invitations that this device has opened and that nobody has answered for good, oldest first, then zones that are
                offered.
              responses:
                "200":
                  description: The opened invitations.
                  content:
                    application/json:
                      schema:
                        type: array
                        items:
                          type: object
                          required: [invite, account, state, zone_name, opened_at]
                          properties:
                            invite: {type: string, description: What it is called by; of an offer the zone's id.}
                            account: {type: string, description: The one that invites.}
                            state: {type: string, enum: [waiting_approval, waiting_inviter, offered]}
                            zone_name: {type: [string, "null"], description: Of an offer.}
                            opened_at: {type: string, format: date-time}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            post:
              tags: [sharing]
              operationId: join
              x-kairan-access: admin
              summary: Opens an invitation; waits a while for an answer, and the daemon goes on trying afterwards.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [link]
                      properties:
                        link: {type: string, maxLength: 4096, description: "The link, or an offered zone's id, or enough of its beginning."}
                      additionalProperties: false
              responses:
                "200":
                  description: How far it has come.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [zone, rights, state]
                        properties:
                          zone: {type: [string, "null"], description: Known once this account takes part.}
                          rights: {type: [string, "null"], enum: [relay, read, append, write, admin, null]}
                          state:
                            type: string
                            description: |
                              `waiting_approval`: somebody at the inviting side has to say yes; `waiting_inviter`: the device that
                              made the invitation, or any of its account, has to come within reach.
                            enum: [joined, waiting_approval, waiting_inviter]
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/joins/{invite}:
            parameters:
              - {name: invite, in: path, required: true, description: As listed., schema: {type: string}}
            delete:
              tags: [sharing]
              operationId: forgetJoin
              x-kairan-access: admin
              summary: Gives an opened invitation up.
              responses:
                "204": {description: It is not asked for any more.}
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

        """#
}
