import KairanClient
import KairanInterface
import Wire

/// The state of the double and its answers: a value type, with time and randomness as arguments.
struct MemoryCore: Sendable {
    /// A zone, or the rest of a deleted one.
    struct Zone: Sendable {
        var id: String
        var name: String
        var container: String
        var isDefault: Bool
        /// The position of its creation, or of its deletion.
        var position: UInt64
        var isDeleted = false
        var deletionReason: String?
        /// Which assets the device would fetch by itself; `nil` for the default.
        var assetPolicy: AssetPolicySetting?
        var keepsAssetsAtRelays = true
        var records: [BytewiseString: MemoryRecord] = [:]
        /// All states of records, by the position of the write that made them.
        var states: [UInt64: MemoryRecord] = [:]
    }

    /// An answer to a request.
    struct Answer {
        var status = 200
        var body: (any Encodable)?
        /// Bytes in the place of a resource.
        var content: MemoryContent.Part?
    }

    /// The id of this store; tokens of another store are invalid here.
    var store: UInt64 = 1
    /// The position of the newest write, counted over all of the store.
    var position: UInt64 = 0
    /// The zones in the order of their creation.
    var zones: [Zone] = []
    /// The uploaded contents by their ids.
    var contents: [String: MemoryContent] = [:]
    private var identity: (account: String, device: DeviceID)?

    static let defaultZoneName = "default"
    static let atomicWriteCountMax = Int(Limits.batchOperationCountMax)
    static let writeCountMax = 10_000

    /// The account, and its only device.
    var account: String { identity?.account ?? "" }
    var device: DeviceID { identity?.device ?? .zero }

    /// Answers a request that is no stream.
    /// - Parameters:
    ///   - request: The request; `nil` when it is none of the interface.
    ///   - now: Milliseconds since 1970.
    ///   - generator: For ids.
    /// - Returns: The answer.
    /// - Throws: ``MemoryRefusal``.
    mutating func answer(
        _ request: MemoryRequest?,
        at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> Answer {
        if identity == nil {
            identity = (ZoneID(Self.digest(&generator)).text, DeviceID(Self.digest(&generator)))
        }
        guard let request else { throw .unsupported("It cannot read this request.") }
        switch request.route {
        case "GET status": return Answer(body: BareStatus(version: "in memory", state: .ready))
        case "GET account/status": return Answer(body: availability)
        case "GET zones": return Answer(body: try zones(in: request.query["database"]).map(shown))
        case "POST zones": return try createZone(request, using: &generator)
        case "GET zones/*": return Answer(body: shown(zones[try zone(request.names[0])]))
        case "DELETE zones/*": return try deleteZone(request.names[0], reason: request.query["reason"])
        case "GET zones/*/records": return Answer(body: try page(request))
        case "GET zones/*/records/*":
            let record = try record(request.names[1], in: try zone(request.names[0]))
            return Answer(body: record.shown(with: Self.keys(request)))
        case "POST zones/*/fetch": return Answer(body: try fetch(request))
        case "PUT zones/*/records/*", "DELETE zones/*/records/*":
            return Answer(body: try writeOne(request, at: now, using: &generator))
        case "POST zones/*/batch": return Answer(body: try batch(request, at: now, using: &generator))
        case "POST zones/*/query": return Answer(body: try query(request))
        case "GET zones/*/changes", "GET changes": return Answer(body: try changes(request))
        // One device alone writes nothing at the same time as another one.
        case "GET conflicts": return Answer(body: ConflictPage(conflicts: []))
        default: return try answerAboutAssets(request, using: &generator)
        }
    }

    static func digest(_ generator: inout some RandomNumberGenerator) -> Digest32 {
        Digest32(word0: generator.next(), word1: generator.next(), word2: generator.next(), word3: generator.next())
    }

    private var availability: AccountAvailability {
        AccountAvailability(
            account: account,
            status: .available,
            mayWrite: true,
            reason: nil,
            isRecovering: false,
            usedBytes: 0,
            limitBytes: nil
        )
    }

    /// The fields that are wanted; `nil` for all.
    static func keys(_ request: MemoryRequest) -> [String]? {
        request["desired_keys"]?.elements?.compactMap(\.text)
            ?? request.query["desired_keys"]?.split(separator: ",").map(String.init)
    }

    // MARK: Zones

    private func zones(in database: String?) throws(MemoryRefusal) -> [Zone] {
        guard try DaemonClient.ZoneDatabase.check(database) ?? .private == .private else { return [] }
        return zones.filter { !$0.isDeleted }.sorted {
            (BytewiseString($0.container), BytewiseString($0.name)) < (
                BytewiseString($1.container), BytewiseString($1.name)
            )
        }
    }

    /// The place of the zone that a program names by its id, its name, or `CONTAINER/NAME`.
    func zone(_ reference: String) throws(MemoryRefusal) -> Int {
        if ZoneID(text: reference) != nil {
            guard let place = zones.firstIndex(where: { $0.id == reference }) else { throw .zoneUnknown(reference) }
            guard !zones[place].isDeleted else {
                throw .zoneDeleted(reference, reason: zones[place].deletionReason)
            }
            return place
        }
        let slash = reference.utf8.firstIndex(of: UInt8(ascii: "/"))
        let container = slash.map { String(Substring(reference.utf8[..<$0])) }
        let name = slash.map { String(Substring(reference.utf8[reference.utf8.index(after: $0)...])) } ?? reference
        let found = zones.indices.filter { place in
            !zones[place].isDeleted && zones[place].name.isSameName(as: name)
                && container.map { zones[place].container.isSameName(as: $0) } ?? true
        }
        guard let place = found.first else { throw .zoneUnknown(reference) }
        guard found.count == 1 else { throw .zoneAmbiguous(reference, found.map { zones[$0].id }) }
        return place
    }

    private mutating func createZone(
        _ request: MemoryRequest,
        using generator: inout some RandomNumberGenerator
    ) throws(MemoryRefusal) -> Answer {
        guard request["pair_with"] == nil else { throw .unsupported("It knows no other account.") }
        guard let container = request.text("container") else { throw .invalid("container", "it is missing") }
        try MemoryName.check(container: container)
        let isDefault = request["default"] == true
        let name = isDefault ? Self.defaultZoneName : request.text("name") ?? ""
        let present = zones.first {
            !$0.isDeleted && $0.container.isSameName(as: container) && $0.name.isSameName(as: name)
        }
        if isDefault {
            if let present { return Answer(body: shown(present)) }
        } else {
            try MemoryName.check(zone: name)
            guard !name.isSameName(as: Self.defaultZoneName) else {
                throw .invalid("name", "\"\(name)\" is the name of a container's default zone")
            }
            guard present == nil else { throw .zoneExists(name, container) }
        }
        return Answer(status: 201, body: shown(addZone(name, container, isDefault: isDefault, using: &generator)))
    }

    private mutating func addZone(
        _ name: String,
        _ container: String,
        isDefault: Bool,
        using generator: inout some RandomNumberGenerator
    ) -> Zone {
        position += 1
        let id = ZoneID(Self.digest(&generator)).text
        let zone = Zone(id: id, name: name, container: container, isDefault: isDefault, position: position)
        zones.append(zone)
        return zone
    }

    /// Makes the default zone that `CONTAINER/default` names, if it is not there: a container has it from the beginning.
    mutating func makeDefaultZone(namedBy reference: String, using generator: inout some RandomNumberGenerator) {
        let suffix = "/" + Self.defaultZoneName
        guard ZoneID(text: reference) == nil, reference.hasSuffix(suffix) else { return }
        let container = String(reference.dropLast(suffix.count))
        do throws(MemoryRefusal) {
            try MemoryName.check(container: container)
        } catch {
            // It means something else, and is not found.
            return
        }
        let isThere = zones.contains { $0.isDefault && $0.container.isSameName(as: container) }
        if !isThere { _ = addZone(Self.defaultZoneName, container, isDefault: true, using: &generator) }
    }

    private mutating func deleteZone(_ reference: String, reason: String?) throws(MemoryRefusal) -> Answer {
        let place = try zone(reference)
        guard !zones[place].isDefault else { throw .zoneIsDefault }
        position += 1
        zones[place].isDeleted = true
        zones[place].deletionReason = reason.flatMap { $0.isEmpty ? nil : $0 }
        zones[place].position = position
        return Answer(status: 204)
    }

    /// A zone as the interface shows it.
    func shown(_ zone: Zone) -> KairanInterface.Zone {
        KairanInterface.Zone(
            zone: zone.id,
            name: zone.name,
            container: zone.container,
            kind: zone.isDefault ? .default : .custom,
            pairWith: nil,
            database: .private,
            owner: account,
            isOwn: true,
            rights: .admin,
            publicAccess: PublicAccess(world: [], authenticated: [], creator: [], link: nil),
            records: UInt64(zone.records.values.count { !$0.isDeleted }),
            internalRecords: 0,
            epoch: nil,
            digest: "",
            peers: []
        )
    }
}
