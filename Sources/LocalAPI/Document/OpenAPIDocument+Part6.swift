extension OpenAPIDocument {
    /// Part 6 of 7, written from `docs/api/openapi.yaml`.
    static let part6 = #"""
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
              required: [zone, name, container, database, owner, own, rights, records, epoch, digest, peers]
              properties:
                zone: {type: string}
                name: {type: string}
                container: {type: string}
                database: {$ref: "#/components/schemas/Database"}
                owner: {type: string, description: The account that owns it now.}
                own: {type: boolean, description: Whether that is this account.}
                rights:
                  type: string
                  description: The most that this account may do; `none` when it may do nothing any more, or not yet.
                  enum: [none, relay, read, append, write, admin]
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

        """#
}
