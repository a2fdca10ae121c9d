extension OpenAPIDocument {
    /// Part 1 of 8, written from `docs/api/openapi.yaml`.
    static let part1 = #"""
        openapi: 3.1.0
        info:
          title: Kairan local interface
          version: "1"
          summary: Records kept in sync between the machines of one person, as seen by programs on one of them.
          description: |
            HTTP/1.1 with JSON over a Unix socket, usually `/run/kairan/kairand.sock`:

                curl --unix-socket /run/kairan/kairand.sock http://localhost/v1/status

            Who may do what is decided by the kernel's word about the process at the other end. *Administrators*
            are root, the daemon's user and members of the group that its configuration names; they may do
            everything. *Applications* are programs whose user or group the configuration binds to containers,
            and which may have to present a token (`Authorization: Bearer`); they see the zones of their
            containers, and no others exist for them: lists and feeds leave those out, and naming one is answered
            with `zone.unknown`. Everybody else sees nothing or, if the configuration says so, the bare status.
            `x-kairan-access` says for each operation what it demands: `admin`, `write` and `read` (in a container),
            `application` (any), or `anyone`. An application that asks too often is told to wait (429), one whose
            records have more bytes than it may store cannot make them larger (507).

            Requests that look as if a web page or a proxy had made them (`Origin`, `Referer`, `Cookie`, `Sec-*`,
            `X-Forwarded-*`, a foreign `Host`) are refused.

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
          - name: sharing
          - name: records
          - name: bulk
          - name: feeds
        paths:
          /v1/status:
            get:
              tags: [node]
              operationId: getStatus
              x-kairan-access: anyone
              summary: How the daemon is.
              responses:
                "200":
                  description: The status.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - {$ref: "#/components/schemas/Status"}
                          - {$ref: "#/components/schemas/BareStatus"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/peers:
            get:
              tags: [node]
              operationId: listPeers
              x-kairan-access: admin
              summary: The other devices of the account, and any that is connected.
              responses:
                "200":
                  description: The peers.
                  content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Peer"}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account:
            get:
              tags: [node]
              operationId: getAccount
              x-kairan-access: admin
              summary: The account with its active devices, in the order in which they were added.
              responses:
                "200":
                  description: The account.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Account"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/recovery-key:
            get:
              tags: [node]
              operationId: getRecoveryKey
              x-kairan-access: admin
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/recover:
            post:
              tags: [node]
              operationId: recoverAccount
              x-kairan-access: admin
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/account/enrolment-tokens:
            post:
              tags: [node]
              operationId: makeEnrolmentToken
              x-kairan-access: admin
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
            delete:
              tags: [node]
              operationId: withdrawEnrolmentTokens
              x-kairan-access: admin
              summary: Ends all enrolment tokens that were made on this device.
              responses:
                "204": {description: None lets anybody in any more.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/devices/{device}:
            delete:
              tags: [node]
              operationId: removeDevice
              x-kairan-access: admin
              summary: Removes a device from the account. This cannot be undone.
              parameters: [{$ref: "#/components/parameters/Device"}]
              responses:
                "204": {description: It is removed.}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/openapi.yaml:
            get:
              tags: [node]
              operationId: getDescription
              x-kairan-access: application
              summary: This document.
              responses:
                "200": {description: This document., content: {application/yaml: {schema: {type: string}}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/pairing/offers:
            post:
              tags: [pairing]
              operationId: offerPairing
              x-kairan-access: admin
              summary: Begins to offer a place in this account; an earlier open offer ends.
              requestBody:
                required: false
                content:
                  application/json:
                    schema:
                      type: object
                      properties: {role: {$ref: "#/components/schemas/Role"}}

        """#
}
