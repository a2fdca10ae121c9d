extension OpenAPIDocument {
    /// Part 3 of 8, written from `docs/api/openapi.yaml`.
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
              summary: >-
                Gives up this account's part in a zone of another account, for good and on all of its devices; a public zone in which it
                has none is not read on this device any longer.
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
          /v1/zones/{zone}/invites:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            post:
              tags: [sharing]
              operationId: makeInvite
              x-kairan-access: admin
              summary: >-
                Makes an invitation to a zone, which this device alone will grant. Inviting again under the same terms gives the
                invitation that is open.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [rights]
                      additionalProperties: false
                      properties:
                        rights: {$ref: "#/components/schemas/GrantableRights"}
                        depth: {type: integer, minimum: 0, maximum: 7, default: 0, description: How often in a row it may be handed on.}
                        types:
                          type: array
                          description: The only record types that may be written; all by default.
                          items: {type: string, minLength: 1, maxLength: 255}
                          maxItems: 16
                        prefix: {type: string, maxLength: 255, description: What the names of records begin with that may be written.}
                        uses: {type: integer, minimum: 1, maximum: 1000, default: 1, description: How many accounts it lets in.}
                        expires_s:
                          type: integer
                          description: How long it lets anybody in. The right does not end.
                          minimum: 60
                          maximum: 2592000
                          default: 604800
                        approval: {type: boolean, default: false, description: Whether a person has to say yes to each account.}
                        addresses:
                          type: array
                          description: Where this machine can be reached, for networks in which it is not seen; host:port.
                          items: {type: string, maxLength: 262}
                          maxItems: 4
              responses:
                "200":
                  description: The invitation that was open already.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Invite"}}}
                "201":
                  description: The invitation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Invite"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/invites/{invite}:
            parameters:
              - {$ref: "#/components/parameters/Zone"}
              - {name: invite, in: path, required: true, description: As listed., schema: {type: string}}
            delete:
              tags: [sharing]
              operationId: withdrawInvite
              x-kairan-access: admin
              summary: Takes an invitation back; who has joined by it stays.
              responses:
                "204": {description: Nobody joins by it any more.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/requests/{request}/approve:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Request"}]
            post:
              tags: [sharing]
              operationId: approveRequest
              x-kairan-access: admin
              summary: Says yes to an account that asks to join a zone.
              responses:
                "200":
                  description: Whether it is in now, or will be once the device that made the invitation hears of it.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [state]
                        properties: {state: {type: string, enum: [joined, waiting_inviter]}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/requests/{request}/deny:
            parameters: [{$ref: "#/components/parameters/Zone"}, {$ref: "#/components/parameters/Request"}]
            post:
              tags: [sharing]
              operationId: denyRequest
              x-kairan-access: admin
              summary: Says no to an account that asks to join a zone, for good.
              responses:
                "200":
                  description: It is denied.
                  content:
                    application/json:
                      schema: {type: object, required: [state], properties: {state: {type: string, const: denied}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/blocks:
            get:
              tags: [sharing]
              operationId: listBlocks
              x-kairan-access: admin
              summary: The accounts that this one wants nothing to do with.
              responses:
                "200":
                  description: The accounts.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Block"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/blocks/{account}:
            parameters: [{$ref: "#/components/parameters/Account"}]
            put:
              tags: [sharing]

        """#
}
