package import Wire

/// A warning that a person can act on.
package struct HealthWarning: Sendable, Hashable {
    /// How bad it is.
    package enum Severity: String, Sendable {
        /// Worth knowing.
        case info
        /// Something works less well than it should.
        case warning
        /// Data is at risk or nothing syncs.
        case critical
    }

    /// Stable, for scripts.
    package var code: String
    /// How bad.
    package var severity: Severity
    /// What is the matter.
    package var message: String
    /// What to do.
    package var fix: String

    /// Makes a warning.
    package init(code: String, severity: Severity, message: String, fix: String) {
        self.code = code
        self.severity = severity
        self.message = message
        self.fix = fix
    }
}

/// How the node is.
package struct NodeStatus: Sendable {
    /// The phases of a node's life.
    package enum State: String, Sendable {
        /// Not all services run yet.
        case starting
        /// All is well.
        case ready
        /// The store was lost or restored: it asserts nothing until it has met a peer.
        case recovering
        /// Something is wrong, see the warnings.
        case degraded
    }

    /// The product's version.
    package var version: String
    /// This device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// The store's lifetime.
    package var incarnation: Incarnation
    /// The phase.
    package var state: State
    /// Connected peers.
    package var peers: Int
    /// Live zones.
    package var zones: Int
    /// Operations of this device that some active device of the account has not acknowledged.
    package var pending: UInt64
    /// The process's port for peers; `nil` while it does not listen.
    package var listeningPort: UInt16?
    /// Warnings, worst first.
    package var health: [HealthWarning]

    /// Makes a status.
    package init(
        version: String,
        device: DeviceID,
        account: AccountID,
        incarnation: Incarnation,
        state: State,
        peers: Int,
        zones: Int,
        pending: UInt64,
        listeningPort: UInt16?,
        health: [HealthWarning]
    ) {
        self.version = version
        self.device = device
        self.account = account
        self.incarnation = incarnation
        self.state = state
        self.peers = peers
        self.zones = zones
        self.pending = pending
        self.listeningPort = listeningPort
        self.health = health
    }
}

/// How one other device is reached.
package struct PeerStatus: Sendable {
    /// Whether it can be talked to.
    package enum State: String, Sendable {
        /// A session stands.
        case connected
        /// It is seen but no session stands.
        case reachable
        /// It is not seen.
        case away
    }
    /// How its address was learnt.
    package enum Via: String, Sendable {
        /// Through Avahi.
        case mdns
        /// From the configuration.
        case `static`
        /// From an earlier session.
        case lastKnown = "last_known"
        /// It connected to us.
        case inbound
    }

    /// The device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// Its name in the account.
    package var name: String
    /// Whether it can be talked to.
    package var state: State
    /// Its address; `nil` when none is known.
    package var address: String?
    /// How the address was learnt.
    package var via: Via?
    /// Round-trip time of the last ping in milliseconds.
    package var roundTripMilliseconds: Double?
    /// Its clock minus ours in milliseconds, as of the last ping.
    package var skewMilliseconds: Int64?
    /// Its role in the account.
    package var role: DeviceRole

    /// Makes a status.
    package init(
        device: DeviceID,
        account: AccountID,
        name: String,
        state: State,
        address: String?,
        via: Via?,
        roundTripMilliseconds: Double?,
        skewMilliseconds: Int64?,
        role: DeviceRole
    ) {
        self.device = device
        self.account = account
        self.name = name
        self.state = state
        self.address = address
        self.via = via
        self.roundTripMilliseconds = roundTripMilliseconds
        self.skewMilliseconds = skewMilliseconds
        self.role = role
    }
}

/// One device of the account.
package struct DeviceStatus: Sendable {
    /// The device.
    package var device: DeviceID
    /// Its name.
    package var name: String
    /// What it may do.
    package var role: DeviceRole
    /// When it was added, in milliseconds since 1970, as its certificate says.
    package var addedMilliseconds: UInt64
    /// When it was last connected, in milliseconds since 1970; `nil` = never or this device.
    package var lastSeenMilliseconds: UInt64?
    /// Whether it is this device.
    package var isThis: Bool

    /// Makes a status.
    package init(
        device: DeviceID,
        name: String,
        role: DeviceRole,
        addedMilliseconds: UInt64,
        lastSeenMilliseconds: UInt64?,
        isThis: Bool
    ) {
        self.device = device
        self.name = name
        self.role = role
        self.addedMilliseconds = addedMilliseconds
        self.lastSeenMilliseconds = lastSeenMilliseconds
        self.isThis = isThis
    }
}

/// The account.
package struct AccountStatus: Sendable {
    /// The account.
    package var account: AccountID
    /// Its active devices in the order in which they were added.
    package var devices: [DeviceStatus]

    /// Makes a status.
    package init(account: AccountID, devices: [DeviceStatus]) {
        self.account = account
        self.devices = devices
    }
}

/// An open offer.
package struct PairingOfferStatus: Sendable {
    /// What the other device types.
    package var ticket: String
    /// The ticket as a QR code for a terminal.
    package var qrCode: String
    /// When it ends, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64

    /// Makes a status.
    package init(ticket: String, qrCode: String, expiresMilliseconds: UInt64) {
        self.ticket = ticket
        self.qrCode = qrCode
        self.expiresMilliseconds = expiresMilliseconds
    }
}

/// How a pairing ended well.
package struct PairingOutcome: Sendable {
    /// The account both are in now.
    package var account: AccountID
    /// The other device.
    package var device: DeviceID
    /// Its name.
    package var name: String
    /// Six words that both sides show.
    package var words: [String]

    /// Makes an outcome.
    package init(account: AccountID, device: DeviceID, name: String, words: [String]) {
        self.account = account
        self.device = device
        self.name = name
        self.words = words
    }
}

/// How far one device is with a zone.
package struct ZonePeerStatus: Sendable {
    /// The device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// Whether it holds all that we hold, as far as we know.
    package var inSync: Bool
    /// Operations that we hold and it has not acknowledged.
    package var behind: UInt64

    /// Makes a status.
    package init(device: DeviceID, account: AccountID, inSync: Bool, behind: UInt64) {
        self.device = device
        self.account = account
        self.inSync = inSync
        self.behind = behind
    }
}

/// One zone.
package struct ZoneStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// Its container.
    package var container: String
    /// Which view shows it: `private`, `shared` or `public`.
    package var database: String
    /// Who owns it.
    package var owner: AccountID
    /// What this device may do: `read`, `append`, `write` or `admin`.
    package var rights: String
    /// Records that are not deleted.
    package var records: UInt64
    /// The generation of its key; `nil` while it is in clear.
    package var epoch: String?
    /// Equal on replicas that hold the same state; hex.
    package var digest: String
    /// How far the others are.
    package var peers: [ZonePeerStatus]

    /// Makes a status.
    package init(
        zone: ZoneID,
        name: String,
        container: String,
        database: String,
        owner: AccountID,
        rights: String,
        records: UInt64,
        epoch: String?,
        digest: String,
        peers: [ZonePeerStatus]
    ) {
        self.zone = zone
        self.name = name
        self.container = container
        self.database = database
        self.owner = owner
        self.rights = rights
        self.records = records
        self.epoch = epoch
        self.digest = digest
        self.peers = peers
    }
}

/// One write to one record.
package struct RecordChange: Sendable {
    /// The record's name, 1...255 bytes of UTF-8.
    package var name: String
    /// Its type; `nil` keeps it (a new record gets `Record`).
    package var type: String?
    /// Fields to set.
    package var fields: [(name: String, value: FieldValue)]
    /// Fields to remove.
    package var removed: [String]
    /// Whether fields that are not set are dropped.
    package var replacesAll: Bool
    /// Whether the record is deleted; then nothing else may be set.
    package var isDeletion: Bool
    /// Refuse unless the record's version is this (`""` = refuse if it exists).
    package var ifVersion: String?

    /// Makes a write.
    package init(
        name: String,
        type: String? = nil,
        fields: [(name: String, value: FieldValue)] = [],
        removed: [String] = [],
        replacesAll: Bool = false,
        isDeletion: Bool = false,
        ifVersion: String? = nil
    ) {
        self.name = name
        self.type = type
        self.fields = fields
        self.removed = removed
        self.replacesAll = replacesAll
        self.isDeletion = isDeletion
        self.ifVersion = ifVersion
    }
}

/// A record as a program sees it.
package struct RecordView: Sendable {
    /// Its zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// Its type.
    package var type: String
    /// Its fields by name, ascending.
    package var fields: [(name: String, value: FieldValue)]
    /// Names this state; changes with every change.
    package var version: String
    /// Whether it is deleted (only in feeds and in answers to deletions).
    package var isDeleted: Bool
    /// Which device created it.
    package var createdBy: DeviceID
    /// Which device wrote it last.
    package var modifiedBy: DeviceID
    /// When, in milliseconds since 1970 by the writer's clock.
    package var modifiedMilliseconds: UInt64
    /// How many fields have concurrent values that disagree.
    package var conflicts: Int

    /// Makes a view.
    package init(
        zone: ZoneID,
        name: String,
        type: String,
        fields: [(name: String, value: FieldValue)],
        version: String,
        isDeleted: Bool,
        createdBy: DeviceID,
        modifiedBy: DeviceID,
        modifiedMilliseconds: UInt64,
        conflicts: Int
    ) {
        self.zone = zone
        self.name = name
        self.type = type
        self.fields = fields
        self.version = version
        self.isDeleted = isDeleted
        self.createdBy = createdBy
        self.modifiedBy = modifiedBy
        self.modifiedMilliseconds = modifiedMilliseconds
        self.conflicts = conflicts
    }
}

/// A page of records.
package struct RecordViewPage: Sendable {
    /// The records.
    package var records: [RecordView]
    /// Continue behind this name; `nil` at the end.
    package var next: String?

    /// Makes a page.
    package init(records: [RecordView], next: String?) {
        self.records = records
        self.next = next
    }
}

/// One change of the feed.
package struct ChangeView: Sendable {
    /// The record as it is now; deleted ones say so.
    package var record: RecordView
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes a change.
    package init(record: RecordView, bySync: Bool) {
        self.record = record
        self.bySync = bySync
    }
}

/// A page of changes.
package struct ChangePage: Sendable {
    /// The changes, oldest first.
    package var changes: [ChangeView]
    /// Continue from here; durable.
    package var token: String
    /// Whether more is there already.
    package var more: Bool

    /// Makes a page.
    package init(changes: [ChangeView], token: String, more: Bool) {
        self.changes = changes
        self.token = token
        self.more = more
    }
}

/// One side of a conflict.
package struct SiblingView: Sendable {
    /// Names the side, for `resolve --take`.
    package var version: String
    /// Who wrote it.
    package var by: DeviceID
    /// Its fields.
    package var fields: [(name: String, value: FieldValue)]

    /// Makes a side.
    package init(version: String, by: DeviceID, fields: [(name: String, value: FieldValue)]) {
        self.version = version
        self.by = by
        self.fields = fields
    }
}

/// A record whose concurrent writes disagree.
package struct ConflictView: Sendable {
    /// Its zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// The sides; the one shown by `get` first.
    package var siblings: [SiblingView]
    /// What all sides started from, where it is still held.
    package var ancestor: SiblingView?

    /// Makes a conflict.
    package init(zone: ZoneID, name: String, siblings: [SiblingView], ancestor: SiblingView?) {
        self.zone = zone
        self.name = name
        self.siblings = siblings
        self.ancestor = ancestor
    }
}

/// How a conflict is to end.
package enum ConflictResolution: Sendable {
    /// With the values of one side.
    case take(version: String)
    /// With these fields, all others dropped.
    case fields([(name: String, value: FieldValue)])
}

/// What happens, for programs that watch.
package enum NodeEvent: Sendable {
    /// The first event: where the stream starts.
    case snapshot(token: String, zones: [ZoneStatus])
    /// A record changed; the token resumes behind it.
    case change(ChangeView, token: String)
    /// A zone appeared or was deleted.
    case zone(ZoneStatus, isDeleted: Bool)
    /// A peer connected or left.
    case peer(PeerStatus)
    /// What came in from or went out to a peer.
    case sync(SyncEvent)
    /// The stream cannot go on, for the reason given; resume with the last token.
    case end(reason: String)
}

/// A finished piece of synchronisation.
package struct SyncEvent: Sendable {
    /// The directions.
    package enum Kind: String, Sendable {
        /// A zone or an account was set up.
        case setup
        /// Operations came in and were applied.
        case `import`
        /// Operations were acknowledged by a peer.
        case export
    }

    /// Which direction.
    package var kind: Kind
    /// The zone; `nil` for the account.
    package var zone: ZoneID?
    /// With whom.
    package var peer: DeviceID
    /// How many operations.
    package var count: UInt64
    /// Whether it went well.
    package var succeeded: Bool
    /// What went wrong; a stable code.
    package var error: String?

    /// Makes an event.
    package init(kind: Kind, zone: ZoneID?, peer: DeviceID, count: UInt64, succeeded: Bool, error: String?) {
        self.kind = kind
        self.zone = zone
        self.peer = peer
        self.count = count
        self.succeeded = succeeded
        self.error = error
    }
}

/// Events in order; ends when the subscriber is too slow (its last element then is `.end`) or the node stops.
package typealias NodeEventStream = AsyncStream<NodeEvent>
