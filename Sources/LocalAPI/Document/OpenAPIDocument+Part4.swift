extension OpenAPIDocument {
    /// Part 4 of 5, written from `docs/api/openapi.yaml`.
    static let part4 = #"""
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
            Zone:
              type: object
              required: [zone, name, container, database, owner, rights, records, epoch, digest, peers]
              properties:
                zone: {type: string}
                name: {type: string}
                container: {type: string}
                database: {type: string, enum: [private, shared, public]}
                owner: {type: string}
                rights: {type: string, enum: [read, append, write, admin]}
                records: {type: integer}
                epoch: {type: [string, "null"]}
                digest: {type: string, description: Equal on replicas that hold the same state.}
                peers:
                  type: array
                  items:
                    type: object
                    required: [device, account, in_sync, behind]
                    properties:
                      device: {type: string}
                      account: {type: string}
                      in_sync: {type: boolean}
                      behind: {type: integer}
            Fields: {type: object, additionalProperties: {$ref: "#/components/schemas/Value"}}
            Value:
              description: A number without fraction and exponent is an integer, every other number a double.
              oneOf:
                - {type: string}
                - {type: number}
                - {type: boolean}
                - {type: "null"}
                - {type: array, items: {$ref: "#/components/schemas/Value"}, description: At most 8 levels deep.}
                - {type: object, required: [$int64], properties: {$int64: {type: string}}}
                - type: object
                  required: [$double]
                  properties:
                    $double: {oneOf: [{type: number}, {enum: [NaN, Infinity, -Infinity]}]}
                - {type: object, required: [$bytes], properties: {$bytes: {type: string, contentEncoding: base64}}}
                - {type: object, required: [$date], properties: {$date: {type: string, format: date-time}}}
                - type: object
                  required: [$location]
                  properties:
                    $location:
                      type: object
                      required: [latitude, longitude]
                      properties: {latitude: {type: number}, longitude: {type: number}}
                - type: object
                  required: [$reference]
                  properties:
                    $reference:
                      type: object
                      required: [record]
                      properties: {zone: {type: string}, record: {type: string}}
                - {type: object, required: [$counter], properties: {$counter: {type: integer}}}
                - type: object
                  required: [$set]
                  properties: {$set: {type: array, uniqueItems: true, items: {$ref: "#/components/schemas/Value"}}}
                - {type: object, required: [$asset], properties: {$asset: {type: object, readOnly: true}}}
                - {type: object, required: [$unknown], properties: {$unknown: {type: object, readOnly: true}}}
            Record:
              type: object
              required: [zone, name, type, fields, version, deleted, created_by, modified_by, modified_at, conflicts]
              properties:
                zone: {type: string}
                name: {type: string}
                type: {type: string}
                fields: {$ref: "#/components/schemas/Fields"}
                version: {type: string}
                deleted: {type: boolean}
                created_by: {type: string}
                modified_by: {type: string}
                modified_at: {type: string, format: date-time}
                conflicts: {type: integer, description: Fields with concurrent values that disagree.}
            Write:
              type: object
              additionalProperties: false
              properties:
                type: {type: string, minLength: 1, maxLength: 255}
                fields: {$ref: "#/components/schemas/Fields"}
                remove: {type: array, items: {type: string}, description: Fields to remove.}
                replace: {type: boolean, default: false, description: Drop the fields that are not named.}
                if_version: {type: string, description: Only if this is its version; empty = only if it does not exist.}
            NamedWrite:
              type: object
              required: [name]
              additionalProperties: false
              properties:
                name: {type: string, minLength: 1, maxLength: 255}
                type: {type: string, minLength: 1, maxLength: 255}
                fields: {$ref: "#/components/schemas/Fields"}
                remove: {type: array, items: {type: string}}
                replace: {type: boolean, default: false}
                delete: {type: boolean, default: false, description: Nothing else may be set then.}
                if_version: {type: string}
                version: {type: string, description: Only in imports; not looked at.}
            ImportProgress:
              type: object
              required: [saved, failed, errors, done]
              properties:
                saved: {type: integer}
                failed: {type: integer}
                errors:
                  type: array
                  description: The refusals since the line before.
                  items:
                    type: object
                    required: [line, code, detail]
                    properties: {line: {type: integer, minimum: 1}, code: {type: string}, detail: {type: string}}
                done: {type: boolean}
                problem: {$ref: "#/components/schemas/Problem"}
            Changes:
              type: object
              required: [changes, token, more]
              properties:
                changes: {type: array, items: {$ref: "#/components/schemas/Change"}}

        """#
}
