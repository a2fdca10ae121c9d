import Records
import Sync
import Testing
import Wire

@Suite struct `A content in a linked file` {
    private static let large = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Two devices of one account that share a zone; the first one has a linked file, which the other one has not fetched.
    private func linked() throws -> (Neighbours, files: MemoryLinkedFiles, zone: ZoneID, payload: PayloadID) {
        var neighbours = try Neighbours([2], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        try neighbours.settle(zone)
        let files = neighbours.keepFiles(on: 0)
        files.write(Self.large, to: "lake.jpg")
        let payload = try neighbours.linkNew("lake.jpg", on: 0, zone: zone)
        try neighbours.exchangeAssets(zone)
        return (neighbours, files, zone, payload)
    }

    private func answer(_ payload: PayloadID, _ zone: ZoneID, _ neighbours: Neighbours) throws -> PayloadAnswer {
        let request = PayloadRequest(zone: zone, payload: payload, positions: [0, 1])
        return try Payloads(neighbours.committer(0)).answer(request, in: neighbours.homes[0].store)
    }

    @Test func `is here without a stored byte, and is served to others as any content is`() throws {
        var (neighbours, _, _, payload) = try linked()
        #expect(try neighbours.assetState(payload, on: 0) == .present)
        let row = try #require(try neighbours.row(payload, on: 0))
        #expect(row.state == .linked && row.isAsset)
        #expect(try neighbours.homes[0].store.chunkCounts(of: row.number).present == 0)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.row(payload, on: 1)?.state == .present)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test func `is not served when the file has changed behind its facts, since the hash decides`() throws {
        var (neighbours, files, zone, payload) = try linked()
        var damaged = Self.large
        damaged[0] ^= 1
        files.damage(damaged, of: "lake.jpg")
        guard case .chunks(let chunks, let wrong) = try answer(payload, zone, neighbours) else {
            Issue.record("there is no answer")
            return
        }
        #expect(chunks.map(\.position) == [1] && wrong == [0])
        #expect(try neighbours.bytes(of: payload, on: 0) == nil)
        let number = try #require(try neighbours.row(payload, on: 0)).number
        let notice = try neighbours.change(0) { try Payloads($0).recheck(number: number, position: 0, in: &$2) }
        #expect(notice.number != nil && notice.assets == [payload])
        #expect(try neighbours.links(payload, on: 0) == ["lake.jpg": .changed])
    }

    @Test func `goes when its file does, and is fetched by the policy; the record stays`() throws {
        var (neighbours, files, zone, payload) = try linked()
        try neighbours.fetchPayloads(from: 0, on: 1)
        files.remove("lake.jpg")
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.links(payload, on: 0) == ["lake.jpg": .missing])
        #expect(try neighbours.row(payload, on: 0)?.state == .remote)
        #expect(try neighbours.homes[0].store.isNamed(payload, zone: zone))
        try neighbours.look(0)
        #expect(try neighbours.assetState(payload, on: 0) == .queued)
        try neighbours.fetchPayloads(from: 1, on: 0)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
        #expect(try neighbours.row(payload, on: 0)?.state == .present)
    }

    @Test func `stays remote where no policy fetches it, and is here again with its file`() throws {
        var (neighbours, files, zone, payload) = try linked()
        try neighbours.setPolicy(.onDemand, on: 0, zone: zone)
        files.setMounted(false)
        try neighbours.lookAtFiles(on: 0)
        try neighbours.look(0)
        #expect(try neighbours.assetState(payload, on: 0) == .remote)
        #expect(try neighbours.bytes(of: payload, on: 0) == nil)
        files.setMounted(true)
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.links(payload, on: 0) == ["lake.jpg": .sound])
        #expect(try neighbours.assetState(payload, on: 0) == .present)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
    }

    @Test func `is found again where its file was moved to, and nothing is fetched`() throws {
        var (neighbours, files, _, payload) = try linked()
        files.move("lake.jpg", to: "2026/summer/sea.jpg")
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.links(payload, on: 0) == ["2026/summer/sea.jpg": .sound])
        try neighbours.look(0)
        #expect(try neighbours.row(payload, on: 0)?.state == .linked)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
    }

    @Test func `is found again in another file with equal bytes, which took the place of its own`() throws {
        var (neighbours, files, _, payload) = try linked()
        files.write(Self.large, to: "copy.jpg")
        files.remove("lake.jpg")
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.links(payload, on: 0) == ["copy.jpg": .sound])
        #expect(try neighbours.row(payload, on: 0)?.state == .linked)
    }

    @Test func `survives in one file when another one with it changes`() throws {
        var (neighbours, files, zone, payload) = try linked()
        files.write(Self.large, to: "copy.jpg")
        let isLinked = try neighbours.linkCopy(payload, "copy.jpg", on: 0, zone: zone)
        #expect(isLinked)
        files.write([1, 2, 3], to: "lake.jpg")
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.links(payload, on: 0) == ["lake.jpg": .changed, "copy.jpg": .sound])
        #expect(try neighbours.row(payload, on: 0)?.state == .linked)
        #expect(try neighbours.bytes(of: payload, on: 0) == Self.large)
    }

    @Test func `is another one than that of an equal file, each with a record of its own`() throws {
        var (neighbours, files, zone, payload) = try linked()
        files.write(Self.large, to: "copy.jpg")
        let other = try neighbours.linkNew("copy.jpg", on: 0, zone: zone, record: "copy")
        #expect(other != payload)
        files.remove("copy.jpg")
        try neighbours.lookAtFiles(on: 0)
        #expect(try neighbours.row(other, on: 0)?.state == .remote)
        #expect(try neighbours.row(payload, on: 0)?.state == .linked)
    }

    @Test func `is on a device that links its own copy, which may fetch nothing and has it all the same`() throws {
        var (neighbours, _, zone, payload) = try linked()
        try neighbours.setPolicy(.never, on: 1, zone: zone)
        try neighbours.look(1)
        let files = neighbours.keepFiles(on: 1)
        files.write(Array(Self.large.reversed()), to: "other.jpg")
        #expect(try neighbours.linkCopy(payload, "other.jpg", on: 1, zone: zone) == false)
        files.write(Self.large, to: "own.jpg")
        #expect(try neighbours.linkCopy(payload, "own.jpg", on: 1, zone: zone))
        #expect(try neighbours.assetState(payload, on: 1) == .present)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    @Test func `may be stored as well, and is stored still when the file is gone`() throws {
        var (neighbours, _, zone, payload) = try linked()
        try neighbours.fetchPayloads(from: 0, on: 1)
        let files = neighbours.keepFiles(on: 1)
        files.write(Self.large, to: "own.jpg")
        #expect(try neighbours.linkCopy(payload, "own.jpg", on: 1, zone: zone))
        #expect(try neighbours.row(payload, on: 1)?.state == .present)
        files.remove("own.jpg")
        try neighbours.lookAtFiles(on: 1)
        #expect(try neighbours.row(payload, on: 1)?.state == .present)
        #expect(try neighbours.bytes(of: payload, on: 1) == Self.large)
    }

    // MARK: Others do not count on it

    @Test func `is promised to no device, and counts as no copy`() throws {
        var (neighbours, _, zone, payload) = try linked()
        try neighbours.fetchPayloads(from: 0, on: 1)
        #expect(try neighbours.retain(payload, on: 0, zone: zone) == .absent)
        #expect(try neighbours.promise(of: payload, on: 0) == nil)
        let copies = try Holders(neighbours.committer(0)).copies(of: payload, in: neighbours.homes[0].store)
        #expect(!copies.isHere && copies.machineCount == 0)
        #expect(try neighbours.begin(payload, on: 1) == .begun(zones: [zone]))
    }

    @Test func `is not evicted, whether it is stored as well or not`() throws {
        var (neighbours, _, zone, payload) = try linked()
        #expect(try neighbours.begin(payload, on: 0) == .refused(.linked))
        try neighbours.fetchPayloads(from: 0, on: 1)
        let files = neighbours.keepFiles(on: 1)
        files.write(Self.large, to: "own.jpg")
        #expect(try neighbours.linkCopy(payload, "own.jpg", on: 1, zone: zone))
        #expect(try neighbours.begin(payload, on: 1) == .refused(.linked))
        _ = try neighbours.change(1) { try Links($0).unlink(payload, at: nil, in: &$2) }
        #expect(try neighbours.begin(payload, on: 1) == .begun(zones: [zone]))
    }

    // MARK: Its end

    @Test func `is not here any more when its links end, and the file stays`() throws {
        var (neighbours, files, _, payload) = try linked()
        let ended = try neighbours.change(0) { try Links($0).unlink(payload, at: nil, in: &$2) }
        #expect(ended.reply == 1 && ended.notice.assets == [payload])
        #expect(try neighbours.links(payload, on: 0).isEmpty)
        #expect(try neighbours.row(payload, on: 0)?.state == .remote)
        #expect(files.bytes(of: "lake.jpg") == Self.large)
        #expect(try neighbours.change(0) { try Links($0).unlink(payload, at: nil, in: &$2) }.reply == 0)
    }

    @Test func `is forgotten a day after it was made where no record names it, and so is one whose file goes`() throws {
        var (neighbours, files, zone, _) = try linked()
        for isRemoved in [false, true] {
            files.write([1, 2, 3], to: "unnamed.jpg")
            let draft = try neighbours.change(0) { try Payloads($0).begin(zone: zone, announced: 3, in: &$2) }
            var writer = try draft.writer()
            let isTaken = writer.append([1, 2, 3])
            #expect(isTaken)
            writer.finish()
            while writer.nextChunk() != nil {}
            let made = writer.outline()
            let outline = try #require(made)
            let place = try Neighbours.place("unnamed.jpg")
            let facts = try files.facts(of: place)
            let isMade = try neighbours.change(0) {
                try Links($0).finish(draft.number, outline, at: place, facts, in: &$2)
            }
            #expect(isMade)
            if isRemoved {
                files.remove("unnamed.jpg")
                try neighbours.lookAtFiles(on: 0)
            } else {
                neighbours.pass(Payloads.unsentMilliseconds + 1)
            }
            try neighbours.look(0)
            #expect(try neighbours.row(outline.id, on: 0) == nil)
            #expect(try neighbours.links(outline.id, on: 0).isEmpty)
            #expect(isRemoved || files.bytes(of: "unnamed.jpg") == [1, 2, 3])
        }
    }
}
