public import FoundationEssentials

/// An event in the daemon, numbered from 0 within one stream.
public struct DaemonEvent: Sendable, Decodable {
    /// The kind of an event.
    public enum Kind: Sendable {
        /// The first event: where the stream starts, and the zones at that time.
        case snapshot(zones: [Zone])
        /// A record changed.
        case change(Change)
        /// A zone appeared, changed, or went.
        case zone(ZoneChange)
        /// A peer connected or left, or has another name or role.
        case peer(Peer)
        /// Something came in from a peer, or a peer acknowledged something.
        case sync(SyncReport)
        /// Other writes than before may wait in the quarantine of the zone with this id.
        case quarantine(zone: String)
        /// A peer sent data that no honest program sends; only administrators receive this event.
        case anomaly(Anomaly)
        /// The offer of a zone to another account came, was answered, or is over; `share(of:)` has it.
        case transfer(zone: String)
        /// An asset of a record has another state on this device.
        case asset(AssetChange)
        /// The stream cannot go on; resume behind the last token.
        case end(reason: String)
        /// A kind that a newer daemon sends.
        case other(String)
    }

    /// A piece of synchronisation; two events with one id report it, one when it begins and one when it is over.
    public struct SyncReport: Sendable, Hashable, Codable {
        /// The reason why a piece of synchronisation failed; nothing is lost by any of them.
        public struct Failure: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The connection ended; it is tried again.
            public static let connectionLost = Failure(rawValue: "connection_lost")
            /// The disk of this device is full; it is tried again.
            public static let storageFull = Failure(rawValue: "storage_full")
            /// The disk of this device failed; it is tried again.
            public static let storageFailed = Failure(rawValue: "storage_failed")
            /// The disk of the other device is full; it is tried again.
            public static let peerStorageFull = Failure(rawValue: "peer_storage_full")
            /// The other device has too much to do; it is tried again.
            public static let peerBusy = Failure(rawValue: "peer_busy")
            /// The other device broke the protocol.
            public static let violation = Failure(rawValue: "violation")
            /// The other device contradicts what it had said.
            public static let contradiction = Failure(rawValue: "contradiction")
            /// The other device sent another history of a log.
            public static let fork = Failure(rawValue: "fork")
            /// Nothing came any more; it is tried again.
            public static let stalled = Failure(rawValue: "stalled")
            /// The words that this version knows.
            public static let known: [Failure] = [
                .connectionLost, .storageFull, .storageFailed, .peerStorageFull, .peerBusy, .violation, .contradiction,
                .fork, .stalled,
            ]
        }

        /// The kind of a piece of synchronisation.
        public struct Kind: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A session has begun, and both sides compare what they hold.
            public static let setup = Kind(rawValue: "setup")
            /// Operations of a zone come in.
            public static let `import` = Kind(rawValue: "import")
            /// Operations of a zone go out, and are acknowledged.
            public static let export = Kind(rawValue: "export")
            /// The words that this version knows.
            public static let known: [Kind] = [.setup, .import, .export]
        }

        /// Its number in this run of the daemon.
        public var id: UInt64
        /// The kind of the piece.
        public var kind: Kind
        /// The zone; `nil` for all that is shared with the peer.
        public var zone: String?
        /// With which device.
        public var peer: String
        /// The device's account.
        public var account: String
        /// The number of operations so far.
        public var count: UInt64
        /// The time of its beginning.
        public var startedAt: Date
        /// The time of its end; `nil` while it goes on.
        public var endedAt: Date?
        /// Its duration in milliseconds; `nil` while it goes on.
        public var durationMilliseconds: UInt64?
        /// Whether it is over and went well.
        public var succeeded: Bool
        /// The failure; `nil` while it goes on, and if it went well.
        public var error: Failure?

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(
            id: UInt64,
            kind: Kind,
            zone: String?,
            peer: String,
            account: String,
            count: UInt64,
            startedAt: Date,
            endedAt: Date?,
            durationMilliseconds: UInt64?,
            succeeded: Bool,
            error: Failure?
        ) {
            self.id = id
            self.kind = kind
            self.zone = zone
            self.peer = peer
            self.account = account
            self.count = count
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.durationMilliseconds = durationMilliseconds
            self.succeeded = succeeded
            self.error = error
        }

        enum CodingKeys: String, CodingKey {
            case id, kind, zone, peer, account, count
            case startedAt = "started_at"
            case endedAt = "ended_at"
            case durationMilliseconds = "duration_ms"
            case succeeded, error
        }
    }

    /// Data from a peer that no honest program sends: the daemon refused it, or keeps it without effect.
    ///
    /// The first anomaly of a kind from one device in one zone is reported at once, later ones together once a
    /// minute.
    public struct Anomaly: Sendable, Hashable, Codable {
        /// The kind of an anomaly.
        public struct Kind: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A session, or a channel on its way to one, broke the protocol, and was ended.
            public static let violation = Kind(rawValue: "violation")
            /// A log breaks a rule where its author signed.
            public static let brokenLog = Kind(rawValue: "broken_log")
            /// A device signed two histories of one log.
            public static let forkedLog = Kind(rawValue: "forked_log")
            /// A capability that was granted is not valid, or gives more than its author may delegate.
            public static let refusedCapability = Kind(rawValue: "refused_capability")
            /// An operation lies outside of its author's right.
            public static let outOfRight = Kind(rawValue: "out_of_right")
            /// An operation breaks the schema that its author had seen.
            public static let outOfSchema = Kind(rawValue: "out_of_schema")
            /// An operation is sealed under a key of its zone and holds no record.
            public static let unsound = Kind(rawValue: "unsound")
            /// The words that this version knows.
            public static let known: [Kind] = [
                .violation, .brokenLog, .forkedLog, .refusedCapability, .outOfRight, .outOfSchema, .unsound,
            ]
        }

        /// The kind of the anomaly.
        public var kind: Kind
        /// The number of occurrences since the last report.
        public var count: UInt64
        /// The device that signed the faulty data; `nil` if none did, or several.
        public var author: String?
        /// The name of that device in its account, if it is known.
        public var authorName: String?
        /// The device that sent it, if it is known; it may pass on another device's writes.
        public var peer: String?
        /// The name of that device in its account, if it is known.
        public var peerName: String?
        /// The account of the device that sent it.
        public var account: String?
        /// The zone, if it is about one.
        public var zone: String?

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(
            kind: Kind,
            count: UInt64,
            author: String?,
            authorName: String?,
            peer: String?,
            peerName: String?,
            account: String?,
            zone: String?
        ) {
            self.kind = kind
            self.count = count
            self.author = author
            self.authorName = authorName
            self.peer = peer
            self.peerName = peerName
            self.account = account
            self.zone = zone
        }

        enum CodingKeys: String, CodingKey {
            case kind, count, author
            case authorName = "author_name"
            case peer
            case peerName = "peer_name"
            case account, zone
        }
    }

    /// Its place in the stream; a gap means that something was lost on the way.
    public var number: UInt64
    /// Resume behind this event with this change token, where the event is a place for that.
    public var token: String?
    /// The kind of the event.
    public var kind: Kind

    private enum Key: String, CodingKey {
        case event, number, token, zones, zone, peer, reason
    }

    /// Reads an event of the interface.
    /// - Throws: `DecodingError` when a member is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        number = try container.decode(UInt64.self, forKey: .number)
        token = try container.decodeIfPresent(String.self, forKey: .token)
        switch try container.decode(String.self, forKey: .event) {
        case "snapshot": kind = .snapshot(zones: try container.decode([Zone].self, forKey: .zones))
        case "change": kind = .change(try Change(from: decoder))
        case "zone": kind = .zone(try ZoneChange(from: decoder))
        case "peer": kind = .peer(try container.decode(Peer.self, forKey: .peer))
        case "sync": kind = .sync(try SyncReport(from: decoder))
        case "quarantine": kind = .quarantine(zone: try container.decode(String.self, forKey: .zone))
        case "transfer": kind = .transfer(zone: try container.decode(String.self, forKey: .zone))
        case "anomaly": kind = .anomaly(try Anomaly(from: decoder))
        case "asset": kind = .asset(try AssetChange(from: decoder))
        case "end": kind = .end(reason: try container.decode(String.self, forKey: .reason))
        case let other: kind = .other(other)
        }
    }
}
