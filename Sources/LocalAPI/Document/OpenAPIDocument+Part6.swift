extension OpenAPIDocument {
    /// Part 6 of 8, written from `docs/api/openapi.yaml`.
    static let part6 = #"""
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
                      severity: {type: string, enum: [info, warning, critical]}
                      message: {type: string}
                      fix: {type: string}
            BareStatus:
              type: object
              description: What whoever is no administrator is told.
              required: [version, state]
              additionalProperties: false
              properties:
                version: {type: string}
                state: {type: string, enum: [starting, ready, recovering, degraded]}
            Peer:
              type: object
              required: [device, account, name, state, address, via, rtt_ms, skew_ms, role]
              properties:
                device: {type: string}
                account: {type: string}
                name: {type: string}
                state: {type: string, enum: [connected, reachable, away]}
                address: {type: [string, "null"]}
                via: {type: [string, "null"], enum: [mdns, static, last_known, inbound, null]}
                rtt_ms: {type: [number, "null"]}
                skew_ms: {type: [integer, "null"]}
                role: {$ref: "#/components/schemas/Role"}
            Role:
              type: string
              description: >-
                What a device may do in the account's zones. Only full ones write and add or remove devices. Until records are
                sealed, a relay_only device gets what a read_only one gets.
              enum: [full, relay_only, read_only]
            Account:
              type: object
              required: [account, devices]
              properties:
                account: {type: string}
                devices:
                  type: array
                  items:
                    type: object
                    required: [device, name, role, added_at, last_seen, this]
                    properties:
                      device: {type: string}
                      name: {type: string}
                      role: {$ref: "#/components/schemas/Role"}
                      added_at: {type: string, format: date-time}
                      last_seen: {type: [string, "null"], format: date-time}
                      this: {type: boolean}
            Offer:
              type: object
              required: [ticket, qr_code, expires_at]
              properties:
                ticket: {type: string}
                qr_code: {type: string, description: The ticket as a QR code of block characters.}
                expires_at: {type: string, format: date-time}
            EnrolmentToken:
              type: object
              required: [token, uses, expires_at, role]
              properties:
                token: {type: string}
                uses: {type: integer}
                expires_at: {type: string, format: date-time}
                role: {$ref: "#/components/schemas/Role"}
            Pairing:
              type: object
              required: [account, device, name, words]
              properties:
                account: {type: string}
                device: {type: string, description: The other one.}
                name: {type: string}
                words:
                  type: array
                  description: Both sides show the same.
                  items: {type: string}
                  minItems: 6
                  maxItems: 6
            Database:
              type: string
              description: >-
                Zones of this account are private, also while it shares them; those of others are shared. A zone, whoever owns it,
                in which those may do something who hold no right is public.
              enum: [private, shared, public]
            Zone:
              type: object
              required: [zone, name, container, database, owner, own, rights, public, records, epoch, digest, peers]
              properties:
                zone: {type: string}
                name: {type: string}
                container: {type: string}
                database: {$ref: "#/components/schemas/Database"}
                owner: {type: string, description: The account that owns it now.}
                own: {type: boolean, description: Whether that is this account.}
                rights:
                  type: string
                  description: |
                    The most that this account may do by a right of its own; `none` when it holds none, any more or yet: then it may do
                    what `public` says.
                  enum: [none, relay, read, append, write, admin]
                public: {$ref: "#/components/schemas/PublicAccess"}
                records: {type: integer}
                epoch: {type: [string, "null"]}
                digest: {type: string, description: Equal on replicas that hold the same state.}
                peers:
                  type: array
                  description: The other devices of this account, and all devices of the owner and of those who may read.
                  items:
                    type: object
                    required: [device, account, in_sync, behind]
                    properties:
                      device: {type: string}
                      account: {type: string}
                      in_sync: {type: boolean}
                      behind: {type: integer}
            AccountReference:
              type: string
              description: An account's id, or at least the first eight characters of it if only one account begins so that is known here.
              minLength: 8
              maxLength: 52
            GrantableRights:
              type: string
              description: |
                `read`: the whole zone; `append`: make new records, and change only one's own; `write`: make, change and delete
                records; `admin`: say what everybody may do as well. Each includes the ones before it.
              enum: [read, append, write, admin]
            NamedDevice:
              type: object
              required: [device, name]
              properties: {device: {type: string}, name: {type: string}}
            Share:
              type: object
              required: [zone, owner, participants, public, invites, requests, waits_for]
              properties:
                zone: {type: string}
                owner:
                  type: object
                  required: [account, devices]
                  properties:
                    account: {type: string, description: Who owns it now.}
                    devices:

        """#
}
