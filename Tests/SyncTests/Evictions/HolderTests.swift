import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The knowledge which devices hold a content` {
    private static let minute: UInt64 = 60_000
    private static let day: UInt64 = 24 * 60 * 60_000

    /// Devices that hold a content.
    private struct Circle {
        static let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        var neighbours: Neighbours
        let zone: ZoneID
        let payload: PayloadID

        init(_ counts: [Int] = [2]) throws {
            (neighbours, zone, payload) = try Neighbours.holding(Self.bytes, counts)
        }

        func device(_ index: Int) -> DeviceID { neighbours.homes[index].keys.deviceID }

        /// Has the first device take in a statement of another one.
        /// - Returns: Whether the store has changed.
        @discardableResult
        mutating func hear(
            _ word: RetentionStatus.Word,
            from index: Int = 1,
            about payload: PayloadID? = nil
        ) throws -> Bool {
            var isPromise = false
            if case .promised = word { isPromise = true }
            let answer = RetentionAnswer(
                zone: zone,
                isAboutPromises: isPromise,
                statuses: [RetentionStatus(payload: payload ?? self.payload, word: word)]
            )
            let device = self.device(index)
            return try neighbours.change(0) { try Holders($0).note(answer, by: device, in: &$2) }.number != nil
        }

        func row(_ index: Int = 1) throws -> HolderRow? {
            try neighbours.homes[0].store.holder(of: payload, device: device(index))
        }

        func copies() throws -> ContentCopies {
            try Holders(neighbours.committer(0)).copies(of: payload, in: neighbours.homes[0].store)
        }

        func search(_ place: HolderSearch.Place, of index: Int = 1) throws -> HolderFinding {
            let search = HolderSearch(device: device(index), place: place)
            return try Holders(neighbours.committer(0)).search(search, in: neighbours.homes[0].store)
        }

        /// The contents that are on the first device alone; `nil` while not all have been looked at.
        func soleCopies() throws -> SoleCopies? {
            var look = SoleCopies()
            let isAtEnd = try look.step(neighbours.committer(0), in: neighbours.homes[0].store)
            return isAtEnd ? look : nil
        }
    }

    // MARK: Statements

    @Test func `begins with a promise or an answer, and ends where the device does not hold the content`() throws {
        var circle = try Circle()
        #expect(try circle.copies() == ContentCopies(isHere: true, holders: [], relayCount: 0))
        for word in [RetentionStatus.Word.held, .promised(until: .max)] {
            #expect(try circle.hear(word))
            #expect(try circle.copies().holders.map(\.device) == [circle.device(1)])
            #expect(try circle.copies().machineCount == 2)
            for gone in [RetentionStatus.Word.absent, .evicting] {
                try circle.hear(.held)
                #expect(try circle.hear(gone), "\(gone)")
                #expect(try circle.copies().holders.isEmpty && circle.copies().machineCount == 1, "\(gone)")
            }
        }
        try circle.hear(.held)
        #expect(try !circle.hear(.refused), "it says nothing about the content")
        #expect(try circle.copies().machineCount == 2)
    }

    @Test func `is written when a statement differs, and else once a day`() throws {
        var circle = try Circle()
        let first = circle.neighbours.homes[0].wall
        #expect(try circle.hear(.held) && !circle.hear(.held))
        circle.neighbours.pass(Self.day - 1)
        #expect(try !circle.hear(.held) && circle.row()?.stated == first)
        circle.neighbours.pass(1)
        #expect(try circle.hear(.held) && circle.row()?.stated == first + Self.day)
        #expect(try circle.row()?.due == first + 8 * Self.day)
        #expect(try circle.hear(.absent) && circle.row()?.holds == false)
    }

    @Test func `is sought again from a device that lacks a content after twice as long each time`() throws {
        var circle = try Circle()
        var pauses: [UInt64] = []
        for _ in 0..<13 {
            #expect(try circle.hear(.absent))
            let row = try #require(try circle.row())
            pauses.append((row.due - row.stated) / Self.minute)
            circle.neighbours.pass(row.due - row.stated)
        }
        #expect(pauses.prefix(4) == [10, 20, 40, 80] && pauses.last == 7 * 24 * 60)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1 == min($0 * 2, 7 * 24 * 60) })
        // A device that has got it, and has it no more, is a new case.
        try circle.hear(.held)
        try circle.hear(.absent)
        let row = try #require(try circle.row())
        #expect(row.due - row.stated == 10 * Self.minute)
    }

    @Test func `is of devices of this account that can open contents, and of contents that records name here`() throws {
        var circle = try Circle([2, 1])
        #expect(try !circle.hear(.held, from: 2), "another account's device may leave at any time")
        let relay = try circle.neighbours.addDevice(of: 0, role: .relayOnly)
        #expect(try !circle.hear(.held, from: relay) && !circle.hear(.held, from: 0))
        #expect(try !circle.hear(.held, about: PayloadID(Hash.zero.digest)))
        let upload = try circle.neighbours.handIn([1], on: 0, zone: circle.zone)
        #expect(try !circle.hear(.held, about: upload))
        #expect(try circle.neighbours.homes[0].store.statingDevices().isEmpty)
    }

    @Test func `ends with the device's place in the account, and with the content`() throws {
        var circle = try Circle([3])
        try circle.hear(.held, from: 1)
        try circle.hear(.held, from: 2)
        #expect(try circle.copies().machineCount == 3)
        try circle.neighbours.remove(2, by: 0)
        #expect(try circle.copies().machineCount == 2, "it does not count from that moment on")
        try circle.neighbours.look(0)
        #expect(try circle.neighbours.homes[0].store.statingDevices() == [circle.device(1)])
        #expect(try !circle.hear(.held, from: 2))
        _ = try circle.neighbours.delete("photo", on: 0, zone: circle.zone)
        try circle.neighbours.look(0)
        #expect(try circle.row() != nil, "the content may be named again")
        circle.neighbours.pass(2 * Assets.unnamedMilliseconds)
        try circle.neighbours.look(0)
        #expect(try circle.neighbours.row(circle.payload, on: 0) == nil && circle.row() == nil)
    }

    // MARK: Questions

    @Test func `is sought for contents without a statement, and then for the oldest statements`() throws {
        var circle = try Circle()
        let content = HolderFinding.Content(payload: circle.payload, zones: [circle.zone])
        let first = try circle.search(.unstated(after: 0))
        #expect(first == HolderFinding(contents: [content], next: .overdue(after: nil)))
        #expect(try circle.search(.overdue(after: nil)) == HolderFinding())
        try circle.hear(.held)
        #expect(try circle.search(.unstated(after: 0)) == HolderFinding(next: .overdue(after: nil)))
        circle.neighbours.pass(HolderRow.pauseMillisecondsMax - 1)
        #expect(try circle.search(.overdue(after: nil)) == HolderFinding())
        circle.neighbours.pass(1)
        #expect(try circle.search(.overdue(after: nil)) == HolderFinding(contents: [content]))
        #expect(try circle.search(.overdue(after: circle.row())) == HolderFinding(), "it was found before")
        let relay = try circle.neighbours.addDevice(of: 0, role: .relayOnly)
        #expect(try circle.search(.unstated(after: 0), of: relay) == HolderFinding(), "a relay holds none")
    }

    @Test func `is not sought for contents that are not here, or that no record of a live zone names`() throws {
        var circle = try Circle()
        _ = try circle.neighbours.begin(circle.payload, on: 0)
        _ = try circle.neighbours.retain(circle.payload, on: 1, zone: circle.zone)
        _ = try circle.neighbours.evict(circle.payload, by: 1, on: 0)
        #expect(try circle.search(.unstated(after: 0)).contents.isEmpty)
        try circle.hear(.promised(until: .max))
        let row = try #require(try circle.row())
        #expect(try circle.copies() == ContentCopies(isHere: false, holders: [row], relayCount: 0))
        var other = try Circle()
        try other.neighbours.change(0) { [zone = other.zone] in
            _ = try ZoneLifecycle($0).delete(zone, reason: "old", in: &$2)
        }
        #expect(try other.search(.unstated(after: 0)).contents.isEmpty)
    }

    // MARK: Single copies

    @Test func `shows a content that is here alone once each device that was met has said so`() throws {
        var circle = try Circle([3])
        circle.neighbours.pass(SoleCopies.ageMilliseconds)
        #expect(try circle.soleCopies()?.count == 0, "no device was met, so that nothing is known")
        for index in [1, 2] {
            try circle.neighbours.change(0) { [device = circle.device(index)] in
                try PeerMemory($0).met(device, at: nil, in: &$2)
            }
        }
        try circle.hear(.absent, from: 1)
        #expect(try circle.soleCopies()?.count == 0, "the other device has not said anything")
        try circle.hear(.absent, from: 2)
        let found = try #require(try circle.soleCopies())
        #expect(found.count == 1 && found.byteCount == UInt64(Circle.bytes.count))
        try circle.hear(.held, from: 2)
        #expect(try circle.soleCopies()?.count == 0)
        // A device that has been away for longer than a week is not waited for, and its statement counts.
        circle.neighbours.pass(SoleCopies.metMilliseconds)
        try circle.neighbours.change(0) { [device = circle.device(1)] in
            try PeerMemory($0).met(device, at: nil, in: &$2)
        }
        #expect(try circle.soleCopies()?.count == 0)
        try circle.hear(.absent, from: 2)
        #expect(try circle.soleCopies()?.count == 1)
    }

    @Test func `shows no content that came less than a day ago`() throws {
        var circle = try Circle()
        try circle.neighbours.change(0) { [device = circle.device(1)] in
            try PeerMemory($0).met(device, at: nil, in: &$2)
        }
        try circle.hear(.absent)
        let begun = try #require(try circle.neighbours.row(circle.payload, on: 0)).begun
        let age = circle.neighbours.homes[0].wall - begun
        circle.neighbours.pass(SoleCopies.ageMilliseconds - age - 1)
        #expect(try circle.soleCopies()?.count == 0)
        circle.neighbours.pass(1)
        #expect(try circle.soleCopies()?.count == 1)
    }
}
