extension OpenAPIDocument {
    /// Part 7 of 8, written from `docs/api/openapi.yaml`.
    static let part7 = #"""
                      type: array
                      description: As far as they are known here; left out for applications.
                      items: {$ref: "#/components/schemas/NamedDevice"}
                participants: {type: array, items: {$ref: "#/components/schemas/Participant"}}
                public: {$ref: "#/components/schemas/PublicAccess"}
                invites:
                  type: array
                  description: Of this account, oldest first; left out for applications.
                  items: {$ref: "#/components/schemas/Invite"}
                requests:
                  type: array
                  description: Who asks to join by them and is not in yet; left out for applications.
                  items: {$ref: "#/components/schemas/JoinRequest"}
                waits_for:
                  type: array
                  description: Accounts of which it is not known here what devices they have; what they say of the zone waits until it is.
                  items: {type: string}
            Invite:
              type: object
              required: [invite, link, rights, depth, uses, taken, expires_at, approval, state, device]
              properties:
                invite: {type: string, description: What it is called by.}
                link: {type: string, description: "Who has it may ask to join: it is a secret."}
                rights: {$ref: "#/components/schemas/GrantableRights"}
                depth: {type: integer, minimum: 0, maximum: 7}
                uses: {type: integer, description: How many accounts it lets in.}
                taken: {type: integer, description: How many have joined by it.}
                expires_at: {type: string, format: date-time}
                approval: {type: boolean, description: Whether a person has to say yes to each account.}
                state:
                  type: string
                  description: |
                    `open`: it lets accounts in; `withdrawn`: it was taken back; `expired`: its time is over; `spent`: as many have
                    joined as it was made for; `orphaned`: its device is no longer one of the account's; `zone_gone`: the zone is gone.
                  enum: [open, withdrawn, expired, spent, orphaned, zone_gone]
                device: {type: string, description: The device that made it and alone lets accounts in.}
            JoinRequest:
              type: object
              required: [request, account, device, invite, asked_at, waits_for]
              properties:
                request: {type: string, description: What it is called by.}
                account: {type: string}
                device: {type: string, description: The one that asked first.}
                invite: {type: string}
                asked_at: {type: string, format: date-time}
                waits_for: {type: string, enum: [approval, inviter]}
            Block:
              type: object
              required: [account, since]
              properties: {account: {type: string}, since: {type: string, format: date-time}}
            Participant:
              type: object
              required: [account, this, rights, delegate, via, since, devices, capabilities]
              properties:
                account: {type: string}
                this: {type: boolean, description: Whether it is this account.}
                rights: {type: string, enum: [relay, read, append, write, admin], description: The most that it may do.}
                delegate: {type: boolean, description: Whether it may hand that on.}
                via: {type: string, description: The capability that gives it this right.}
                since: {type: string, format: date-time, description: By the clock of who let it in.}
                devices:
                  type: array
                  description: As far as they are known here; left out for applications.
                  items: {$ref: "#/components/schemas/NamedDevice"}
                capabilities:
                  type: array
                  description: All that hold, the strongest first.
                  minItems: 1
                  items:
                    type: object
                    required: [capability, rights, depth, by, since, types, prefix, expires_at]
                    properties:
                      capability: {type: string}
                      rights: {type: string, enum: [relay, read, append, write, admin]}
                      depth: {type: integer, minimum: 0, maximum: 7, description: How often in a row it may be handed on.}
                      by: {type: string, description: The account that handed it on.}
                      since: {type: string, format: date-time}
                      types: {type: array, items: {type: string}, description: The only record types that may be written; empty = all.}
                      prefix: {type: string}
                      expires_at: {type: [string, "null"], format: date-time}
            Revocation:
              type: object
              required: [zone, revoked, epoch, quarantined, remaining]
              properties:
                zone: {type: string}
                revoked:
                  type: array
                  description: The accounts whose rights ended, those to whom the account had handed its own on too.
                  items: {type: string}
                epoch: {type: "null", description: The zone is in clear.}
                quarantined:
                  type: integer
                  description: Writes by these rights that count nowhere and wait for somebody's decision, at most 1,000.
                remaining:
                  type: string
                  description: What the account may still do by rights that others gave it.
                  enum: [none, relay, read, append, write, admin]
            PublicRights:
              type: array
              uniqueItems: true
              items: {type: string, enum: [read, create, write]}
            PublicAccess:
              type: object
              required: [world, authenticated, creator]
              properties:
                world: {$ref: "#/components/schemas/PublicRights", description: Everybody on the network.}
                authenticated: {$ref: "#/components/schemas/PublicRights", description: Everybody whose account is known.}
                creator:
                  $ref: "#/components/schemas/PublicRights"
                  description: Who is named as a record's creator, with that record.
                link:
                  type: [string, "null"]
                  description: >-
                    Where the zone's shares are told: what opens it for those who have no right; null while not everybody may read it.
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
                token: {type: string, description: Continue from here; durable.}
                more: {type: boolean}
            Change:
              type: object
              required: [kind, record, by_sync]
              properties:
                kind: {type: string, enum: [save, delete]}
                record: {$ref: "#/components/schemas/Record"}
                by_sync: {type: boolean, description: Whether the newest change came from a peer.}
            Sibling:
              type: object
              required: [version, by, fields]
              properties: {version: {type: string}, by: {type: string}, fields: {$ref: "#/components/schemas/Fields"}}
            Conflict:

        """#
}
