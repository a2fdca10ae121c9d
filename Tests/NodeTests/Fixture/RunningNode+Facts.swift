import KairanInterface
import Testing
import Wire

@testable import Node

extension RunningNode {
    /// Waits until a condition holds.
    ///
    /// It is checked again after each event that the node sends to its watchers.
    func until(_ what: String, _ fact: (Node) async throws -> Bool) async throws {
        // Also the daemons' own records: receipts report the progress of a message.
        for await event in try await node.feed.events(FeedSelection(showsInternal: true), since: nil) {
            if case .end(let reason) = event { throw Missing(description: "\(what): the events ended, \(reason)") }
            if try await fact(node) { return }
        }
        throw Missing(description: what)
    }

    /// Waits until a record's field has a value.
    func untilField(_ field: String, of name: String, in zone: String, is value: FieldValue) async throws {
        try await until("\(name).\(field) is \(value)") {
            try await $0.records.field(field, of: name, in: zone) == value
        }
    }

    /// Waits until this node is connected to a device of its account.
    func untilConnected(to other: RunningNode) async throws {
        let device = other.node.identity.device
        try await until("connected") {
            try await $0.peers.list().contains { $0.device == device && $0.state == .connected }
        }
    }

    /// Waits until this node is not connected to a device any more.
    func untilDisconnected(from other: RunningNode) async throws {
        let device = other.node.identity.device
        try await until("disconnected") {
            try await !$0.peers.list().contains { $0.device == device && $0.state == .connected }
        }
    }

    /// Writes one record.
    @discardableResult
    func put(_ name: String, in zone: String, _ fields: [(String, FieldValue)]) async throws -> RecordView {
        let change = RecordDraft(name: name, fields: fields.map { (name: $0.0, value: $0.1) })
        return try #require(try await node.records.write([change], zone: zone, atomic: true).first).get()
    }

    /// Writes one record with one text.
    @discardableResult
    func put(_ name: String, in zone: String, text: String) async throws -> RecordView {
        try await put(name, in: zone, [("text", .string(text))])
    }

    /// Deletes one record.
    func remove(_ name: String, in zone: String) async throws {
        let change = RecordDraft(name: name, isDeletion: true)
        _ = try #require(try await node.records.write([change], zone: zone, atomic: true).first).get()
    }

    /// The names of a zone's records.
    func names(in zone: String) async throws -> [String] {
        try await node.records.list(zone: zone, after: nil, limit: 1_000).records.map(\.name)
    }

    /// Makes a zone.
    @discardableResult
    func makeZone(_ name: String) async throws -> ZoneID {
        try await node.zones.createZone(name: name, container: "tests", history: .full).zone
    }
}

extension PairingAPI {
    /// Offers a place with all rights.
    func offerPairing() async throws(NodeError) -> PairingOfferStatus {
        try await offerPairing(role: .full)
    }
}

extension DeviceAPI {
    /// Joins the account of the words, under any name.
    func recoverAccount(words: String) async throws(NodeError) -> PairingOutcome {
        try await recoverAccount(words: words, account: nil)
    }
}

extension RecordAPI {
    /// A record's field; `nil` when the zone, the record or the field is not there, or cannot be read yet.
    func field(_ field: String, of name: String, in zone: String) async throws -> FieldValue? {
        let absent: [NodeError.Code] = [.zoneUnknown, .zoneDeleted, .recordUnknown, .recordDeleted, .recordNotReadable]
        let record = try await unless(absent) { try await self.record(zone: zone, name: name) }
        return record?.fields.first { $0.name == field }?.value
    }
}

extension ZoneAPI {
    /// A zone; `nil` when it is not known here.
    func zoneIfKnown(_ zone: String) async throws -> ZoneStatus? {
        try await unless([.zoneUnknown, .zoneDeleted]) { try await self.zone(zone) }
    }
}

/// Returns a value; `nil` when it is refused with one of the codes.
func unless<Value>(_ codes: [NodeError.Code], _ body: () async throws -> Value) async throws -> Value? {
    do {
        return try await body()
    } catch let error as NodeError {
        guard codes.contains(error.code) else { throw error }
        return nil
    }
}

extension ConflictAPI {
    /// Whether concurrent writes of a record disagree.
    func isOpen(_ name: String, in zone: String) async throws -> Bool {
        try await !open(zone: zone, name: name, after: nil, limit: 1).conflicts.isEmpty
    }
}

/// Returns the code with which something is refused; `nil` when it is not.
func refusal<Value>(_ body: () async throws -> Value) async throws -> NodeError.Code? {
    do {
        _ = try await body()
        return nil
    } catch let error as NodeError {
        return error.code
    }
}

/// Expects that something is refused with a code.
func expectRefusal<Value>(
    _ code: NodeError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async throws {
    let found = try await refusal(body)
    #expect(found == code, sourceLocation: sourceLocation)
}
