extension OpenAPIDocument {
    /// Part 1 of 4, written from `docs/api/openapi.yaml`.
    static let part1 = #"""
        openapi: 3.1.0
        info:
          title: Kairan local interface
          version: "1"
          summary: Records kept in sync between the machines of one person, as seen by programs on one of them.
          description: |
            HTTP/1.1 with JSON over a Unix socket, usually `/run/kairan/kairand.sock`:

                curl --unix-socket /run/kairan/kairand.sock http://localhost/v1/status

            Who may connect is decided by the kernel's word about the process at the other end: root, the
            daemon's user and members of the group that its configuration names. Requests that look as if a web
            page had made them (`Origin`, `Referer`, `Sec-Fetch-*`, a foreign `Host`) are refused.

            **Conventions.** Keys are `snake_case`. Ids are lower-case text. Times are RFC 3339 in UTC with
            milliseconds, sizes bytes, durations milliseconds in keys that end in `_ms`. A zone is named by its
            id or, where that is unique, by its name; names in paths are percent-encoded. What was changed is on
            disk when the answer arrives.

            **Strictness.** An unknown member of a request, a member that is there twice, a number out of range
            or text that is not UTF-8 is refused with the place of the mistake: a record is never stored
            otherwise than it was written.

            **Errors** are problem documents (RFC 9457). `code` is stable; `docs/api/errors.md` lists all codes.

            **Field values.** JSON has fewer kinds of values than records have. A number written without
            fraction and exponent that fits into 64 bits is an integer, every other number a double. Other kinds
            are objects with exactly one member whose name begins with `$`, see the schema `Value`. A double
            that is a whole number is written `{"$double": 3}`, an integer beyond ±2⁵³ `{"$int64": "…"}`,
            because many JSON libraries would change them otherwise.
        servers:
          - url: http://localhost
            description: The host is only there because HTTP wants one.
        tags:
          - name: node
          - name: pairing
          - name: zones
          - name: records
          - name: bulk
          - name: feeds
        paths:
          /v1/status:
            get:
              tags: [node]
              operationId: getStatus
              summary: How the daemon is.
              responses:
                "200":
                  description: The status.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Status"}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/peers:
            get:
              tags: [node]
              operationId: listPeers
              summary: The other devices of the account, and any that is connected.
              responses:
                "200":
                  description: The peers.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Peer"}}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account:
            get:
              tags: [node]
              operationId: getAccount
              summary: The account with its active devices, in the order in which they were added.
              responses:
                "200":
                  description: The account.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Account"}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/recovery-key:
            get:
              tags: [node]
              operationId: getRecoveryKey
              summary: The 24 words that outrank every device.
              responses:
                "200":
                  description: The words.
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [words]
                        properties: {words: {type: array, items: {type: string}, minItems: 24, maxItems: 24}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/recover:
            post:
              tags: [node]
              operationId: recoverAccount
              summary: Joins the account of these recovery words with the help of any device of it; looks for one for about a minute.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [words]
                      properties:
                        words: {type: array, items: {type: string}, minItems: 24, maxItems: 24}
                        account:
                          type: string
                          description: The account's id or the beginning of it; devices of other accounts are passed over.
                          minLength: 16
                          maxLength: 52
                      additionalProperties: false
              responses:
                "200":
                  description: This device is in; the device named is the one that helped.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Pairing"}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/enrolment-tokens:
            post:
              tags: [node]
              operationId: makeEnrolmentToken
              summary: Makes a token that lets machines into this account without anybody before them.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      properties:
                        uses: {type: integer, minimum: 1, maximum: 256, default: 1}
                        expires_s: {type: integer, minimum: 60, maximum: 2592000, default: 86400}
                        role: {$ref: "#/components/schemas/Role"}
                      additionalProperties: false
              responses:
                "201":
                  description: The token. It is not shown again.
                  content: {application/json: {schema: {$ref: "#/components/schemas/EnrolmentToken"}}}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [node]
              operationId: withdrawEnrolmentTokens
              summary: Ends all enrolment tokens that were made on this device.
              responses:
                "204": {description: None lets anybody in any more.}
                default: {$ref: "#/components/responses/Problem"}
          /v1/devices/{device}:
            delete:
              tags: [node]
              operationId: removeDevice
              summary: Removes a device from the account. This cannot be undone.
              parameters: [{$ref: "#/components/parameters/Device"}]
              responses:
                "204": {description: It is removed.}
                default: {$ref: "#/components/responses/Problem"}
          /v1/openapi.yaml:
            get:
              tags: [node]
              operationId: getDescription
              summary: This document.
              responses:
                "200": {description: This document., content: {application/yaml: {schema: {type: string}}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/offers:
            post:
              tags: [pairing]
              operationId: offerPairing
              summary: Begins to offer a place in this account; an earlier open offer ends.
              requestBody:
                required: false
                content:
                  application/json:
                    schema:
                      type: object
                      properties: {role: {$ref: "#/components/schemas/Role"}}
                      additionalProperties: false
              responses:
                "201":
                  description: The offer.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Offer"}}}
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/offers/{ticket}:
            get:
              tags: [pairing]
              operationId: awaitPairing
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/accept:
            post:
              tags: [pairing]
              operationId: acceptPairing
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
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones:
            get:
              tags: [zones]
              operationId: listZones
              summary: All live zones.
              responses:
                "200":
                  description: The zones.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Zone"}}}}
                default: {$ref: "#/components/responses/Problem"}

        """#
}
