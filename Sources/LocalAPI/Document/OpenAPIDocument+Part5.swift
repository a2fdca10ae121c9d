extension OpenAPIDocument {
    /// Part 5 of 7, written from `docs/api/openapi.yaml`.
    static let part5 = #"""
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                "507": {$ref: "#/components/responses/NoSpace"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/export:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [bulk]
              operationId: exportRecords
              x-kairan-access: read
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/changes:
            get:
              tags: [feeds]
              operationId: listChanges
              x-kairan-access: read
              summary: Changes of all zones behind a token, each record once at its newest position.
              parameters: [{$ref: "#/components/parameters/Since"}, {$ref: "#/components/parameters/Limit"}]
              responses:
                "200":
                  description: A page.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Changes"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/changes:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [feeds]
              operationId: listZoneChanges
              x-kairan-access: read
              summary: Changes of one zone behind a token.
              parameters: [{$ref: "#/components/parameters/Since"}, {$ref: "#/components/parameters/Limit"}]
              responses:
                "200":
                  description: A page.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Changes"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/events:
            get:
              tags: [feeds]
              operationId: watch
              x-kairan-access: read
              summary: A snapshot of the position, then events of all zones as they happen.
              description: |
                Server-sent events; the `data` of each is a JSON object, numbered from 0 without gaps. Events
                that one can resume behind have their change token as `id`. A comment keeps the connection alive
                every 15 seconds. The last event is `end` with a reason, for example when the reader was too
                slow or the daemon stops.
              parameters:
                - {$ref: "#/components/parameters/Since"}
                - {name: Last-Event-ID, in: header, description: The same as since., schema: {type: string}}
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {schema: {$ref: "#/components/schemas/Event"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
          /v1/zones/{zone}/events:
            parameters: [{$ref: "#/components/parameters/Zone"}]
            get:
              tags: [feeds]
              operationId: watchZone
              x-kairan-access: read
              summary: A snapshot of the position, then events of one zone as they happen.
              parameters:
                - {$ref: "#/components/parameters/Since"}
                - {name: Last-Event-ID, in: header, description: The same as since., schema: {type: string}}
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {schema: {$ref: "#/components/schemas/Event"}}}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "429": {$ref: "#/components/responses/TooMany"}
                default: {$ref: "#/components/responses/Problem"}
        components:
          parameters:
            Zone: {name: zone, in: path, required: true, description: Its id or unique name., schema: {type: string}}
            Name: {name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 255}}
            Quarantined: {name: id, in: path, required: true, description: As listed., schema: {type: string}}
            Account: {name: account, in: path, required: true, schema: {$ref: "#/components/schemas/AccountReference"}}
            Request: {name: request, in: path, required: true, description: "Its id, or the account that asks.", schema: {type: string}}
            Device: {name: device, in: path, required: true, schema: {type: string, pattern: "^[a-z2-7]{52}$"}}
            Since: {name: since, in: query, description: A token of an earlier answer., schema: {type: string}}
            Limit: {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 1000, default: 200}}
          responses:
            Unauthorized:
              description: "`access.token_required` or `access.token_unknown`: the application must present its token."
              headers: {WWW-Authenticate: {schema: {type: string, const: Bearer}}}
              content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}
            Forbidden:
              description: >-
                `forbidden`, `access.admin_only`, `access.read_only`, `access.container` or `request.from_browser`: the
                caller may not do this. Codes that begin with `right.`: this account's right in the zone does not suffice.
              content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}
            TooMany:
              description: "`request.too_many`: the application asks more often than it may."
              headers: {Retry-After: {description: Seconds., schema: {type: integer, minimum: 1}}}
              content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}
            NoSpace:
              description: "`storage.limit`: the application may store no more. `storage.disk_full`: the disk is full."
              content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}
            Problem:
              description: It was refused or could not be done.
              content: {application/problem+json: {schema: {$ref: "#/components/schemas/Problem"}}}
          schemas:
            Problem:
              type: object
              description: Codes may add members, for example `field`, `current_version`, `limit`, `line` and `column`.
              required: [type, title, status, code, detail, fix, retryable]
              properties:
                type: {type: string, format: uri}
                title: {type: string}
                status: {type: integer}
                code: {type: string}
                detail: {type: string}
                fix: {type: string}
                retryable: {type: boolean}
              additionalProperties: {type: string}
            Status:
              type: object
              required: [version, device, account, incarnation, state, peers, zones, pending, listening_port, health]
              properties:
                version: {type: string}
                device: {type: string}
                account: {type: string}
                incarnation: {type: string}
                state: {type: string, enum: [starting, ready, recovering, degraded]}
                peers: {type: integer, description: Connected ones.}
                zones: {type: integer}
                pending: {type: integer, description: Own operations that some device has not acknowledged.}
                listening_port: {type: [integer, "null"]}
                health:
                  type: array
                  items:
                    type: object
                    required: [code, severity, message, fix]
                    properties:
                      code: {type: string}

        """#
}
