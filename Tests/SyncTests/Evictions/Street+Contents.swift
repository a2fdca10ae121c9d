import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

extension Street {
    /// Uploads a content, and names it in a record.
    mutating func add(_ bytes: [UInt8], to name: String, on index: Int, zone: ZoneID) throws -> PayloadID {
        let count = UInt64(bytes.count)
        let added: Changed<PayloadID> = try change(index) { committer, _, store in
            let payloads = Payloads(committer)
            let draft = try payloads.begin(zone: zone, announced: count, in: &store)
            var writer = try draft.writer()
            let isTaken = writer.append(bytes)
            #expect(isTaken)
            writer.finish()
            while let chunk = writer.nextChunk() { _ = try payloads.add([chunk], to: draft.number, in: &store) }
            let outline = writer.outline()
            let known = try #require(outline)
            _ = try payloads.finish(draft.number, known, byteCount: count, in: &store)
            let named = AssetDescriptor(
                payload: known.id,
                size: 0,
                secret: .unknown,
                mediaType: "",
                fileName: "",
                modified: nil,
                thumbnail: []
            )
            let resolved = try Assets(committer).resolve(named, zone: zone, in: &store)
            let asset = try #require(resolved)
            let write = RecordWrite(
                name: name,
                type: "album",
                set: [FieldAssignment(field: "file", value: .asset(asset))]
            )
            let commit = try committer.commit([WriteRequest([write])], zone: zone, in: &store)
            return Changed(known.id, notice: commit.notice)
        }
        return added.reply
    }

    /// Does rounds on a device until nothing is due.
    mutating func look(_ index: Int) throws {
        while try Assets(committer(index)).isDue(in: homes[index].store) {
            try change(index) { try Assets($0).round(in: &$2).notice }
        }
    }

    /// Gives a device the content that it wants from another one.
    mutating func fetch(_ payload: PayloadID, from other: Int, on index: Int, zone: ZoneID) throws {
        let outlineRequest = PayloadRequest(zone: zone, outlineOf: payload)
        let answer = try Payloads(committer(other)).answer(outlineRequest, in: homes[other].store)
        guard case .outline(let outline, _, _) = answer else { return }
        try change(index) { try Payloads($0).keep(outline, of: payload, in: &$2).notice }
        let positions = outline.chunks.indices.map { UInt64($0) }
        let request = PayloadRequest(zone: zone, payload: payload, positions: positions)
        guard case .chunks(let chunks, _) = try Payloads(committer(other)).answer(request, in: homes[other].store)
        else {
            return
        }
        for chunk in chunks {
            try change(index) { try Payloads($0).keep(chunk, in: &$2).notice }
        }
    }

    /// Whether a device holds a content.
    func holds(_ payload: PayloadID, on index: Int) throws -> Bool {
        try homes[index].store.payload(payload)?.state == .present
    }

    /// The devices that hold a content.
    func holders(of payload: PayloadID) throws -> [Int] {
        try homes.indices.filter { try holds(payload, on: $0) }
    }

    /// Has a device evict a content, without waiting for the outcome.
    mutating func evict(
        _ payload: PayloadID,
        as id: UInt64 = 1,
        copies: Int = 1,
        countsOthers: Bool = false,
        on index: Int
    ) throws {
        let order = EvictionOrder(id: id, payload: payload, copies: copies, countsOthers: countsOthers)
        try feed(.evictionAsked(order), to: index)
    }

    /// Starts the process of a device again, with the state of its store or with an older one.
    mutating func restart(_ index: Int, with store: MemoryStore? = nil, program: ProgramNote) throws {
        for other in homes.indices where other != index { try disconnect(index, other) }
        if let store { homes[index].store = store }
        guard let incarnation = try homes[index].store.incarnation() else { return }
        homes[index].core = SyncCore(
            localDevice: homes[index].keys.deviceID,
            incarnation: incarnation,
            account: homes[index].log.account,
            program: program
        )
        try takeBack(to: homes[index].log, on: index)
        for snapshot in try ZoneViews(committer(index)).snapshots(homes[index].store) {
            try feed(.zoneChanged(snapshot, before: [:]), to: index)
        }
        try feed(.evictionsFound(homes[index].store.evictions(limit: .max)), to: index)
    }

    /// Lets hours pass by the wall clocks of all devices.
    mutating func pass(hours: UInt64) {
        for index in homes.indices { homes[index].wall += hours * 60 * 60 * 1_000 }
    }
}
