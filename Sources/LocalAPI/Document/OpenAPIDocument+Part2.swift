extension OpenAPIDocument {
    /// Part 2 of 8, written from `docs/api/openapi.yaml`.
    static let part2 = #"""
                      additionalProperties: false
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
          /v1/zones/{zone}/shares:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [sharing]
              operationId: getShare
              x-kairan-access: read
              summary: Who takes part in a zone, and by which right.
              responses:
                "200":
                  description: The owner, who takes part, and what those may do who hold no right.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Share"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            post:
              tags: [sharing]
              operationId: grantShare
              x-kairan-access: admin
              summary: Hands a right in a zone to an account. What it has already stays.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [account, rights]
                      additionalProperties: false
                      properties:
                        account: {$ref: "#/components/schemas/AccountReference"}
                        rights: {$ref: "#/components/schemas/GrantableRights"}
                        depth: {type: integer, minimum: 0, maximum: 7, default: 0, description: How often in a row it may be handed on.}
                        types:
                          type: array
                          description: The only record types that may be written; all by default.
                          items: {type: string, minLength: 1, maxLength: 255}
                          maxItems: 16
                        prefix: {type: string, maxLength: 255, description: What the names of records begin with that may be written.}
                        expires_s:
                          type: integer
                          description: How long it is good; until it is taken back by default.
                          minimum: 60
                          maximum: 315360000
              responses:
                "200":
                  description: It had this right under the same limits already.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Participant"}}}
                "201":
                  description: All that the account may do now.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Participant"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/shares/{account}:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Account"}]
            delete:
              tags: [sharing]
              operationId: revokeShare
              x-kairan-access: admin
              summary: Takes all rights in a zone back from an account that this one may take back, with what the account had handed on.
              parameters:
                - name: reason
                  in: query
                  description: Why; all who take part can read it.
                  schema: {type: string, maxLength: 255}
              responses:
                "200":
                  description: Whose rights ended.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Revocation"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/shares/{account}/raise-cut:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Account"}]
            post:
              tags: [sharing]
              operationId: raiseCut
              x-kairan-access: admin
              summary: Lets all count that an account wrote by rights that ended, as far as this device has it. For the owner.
              responses:
                "200":
                  description: What counts again.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [zone, account, raised, released]
                        properties:
                          zone: {type: string}
                          account: {type: string}
                          raised: {type: integer, description: Capabilities under which more counts now.}

        """#
}
