import Session
import TestSupport
import Testing

@Suite struct DoorBookTests {
    private typealias Book = DoorBook<String>

    private struct Missing: Error {}

    /// Limits under which an address may connect as often as a test wants.
    private static func limits(_ body: (inout DoorLimits) -> Void = { _ in }) -> DoorLimits {
        var limits = DoorLimits()
        limits.burst = 1_000
        body(&limits)
        return limits
    }

    private func pass(_ arrival: Book.Arrival) throws -> Book.Pass {
        guard case .taken(let pass, _, _) = arrival else { throw Missing() }
        return pass
    }

    /// Brings a connection into a room.
    private func enter(_ book: inout Book, _ room: DoorRoom, from address: String, now: UInt64 = 0) throws -> Book.Move
    {
        let pass = try pass(book.connected(from: address, now: now))
        let move = book.knocked(pass, at: room, now: now)
        if case .moved = move { _ = book.proved(pass, now: now) } else { book.ended(pass) }
        return move
    }

    // MARK: Places

    @Test func `where too many wait, the one that has waited longest gives its place up`() throws {
        var book = Book(
            limits: Self.limits { $0[room: .accepted] = .init(count: 2, countPerAddress: 2, milliseconds: 5_000) }
        )
        let first = try pass(book.connected(from: "a", now: 1))
        let second = try pass(book.connected(from: "b", now: 2))
        guard case .taken(let third, _, let yields) = book.connected(from: "c", now: 3) else {
            Issue.record("a silent connection keeps the place of another one")
            return
        }
        #expect(yields == first)
        #expect(book.count(in: .accepted) == 2)
        // It has lost its place, even if it sends while it is being closed.
        #expect(book.knocked(first, at: .fleet, now: 4) == .refused(.full))
        #expect(book.proved(first, now: 4) == nil)
        book.ended(first)
        #expect(book.count(in: .accepted) == 2)
        for pass in [second, third] { book.ended(pass) }
        #expect(book.count(in: .accepted) == 0 && book.connectionCount == 0)
    }

    @Test func `an address that has all its places gives up one of its own`() throws {
        var book = Book(
            limits: Self.limits { $0[room: .accepted] = .init(count: 9, countPerAddress: 2, milliseconds: 5_000) }
        )
        _ = try pass(book.connected(from: "other", now: 0))
        let first = try pass(book.connected(from: "a", now: 1))
        _ = try pass(book.connected(from: "a", now: 2))
        guard case .taken(_, _, let yields) = book.connected(from: "a", now: 3) else {
            Issue.record("refused")
            return
        }
        #expect(yields == first)
        #expect(book.count(in: .accepted, from: "a") == 2 && book.count(in: .accepted, from: "other") == 1)
    }

    @Test func `a peer that proved a secret keeps its place, and a further one of its kind is refused`() throws {
        var book = Book(
            limits: Self.limits { $0[room: .ticket] = .init(count: 2, countPerAddress: 1, milliseconds: 30_000) }
        )
        guard case .moved = try enter(&book, .ticket, from: "a"), case .moved = try enter(&book, .ticket, from: "b")
        else {
            Issue.record("there was room")
            return
        }
        #expect(try enter(&book, .ticket, from: "a") == .refused(.tooManyFromAddress))
        #expect(try enter(&book, .ticket, from: "c") == .refused(.full))
    }

    @Test func `a handshake that is not finished gives its place up also in the room of its secret`() throws {
        var book = Book(
            limits: Self.limits { $0[room: .fleet] = .init(count: 1, countPerAddress: 1, milliseconds: 1_000) }
        )
        let replayed = try pass(book.connected(from: "onlooker", now: 0))
        guard case .moved(_, yields: nil) = book.knocked(replayed, at: .fleet, now: 0) else {
            Issue.record("there was room")
            return
        }
        let member = try pass(book.connected(from: "member", now: 1))
        guard case .moved(_, let yields) = book.knocked(member, at: .fleet, now: 1) else {
            Issue.record("whoever replays an overheard beginning keeps a member out")
            return
        }
        #expect(yields == replayed)
    }

    @Test(arguments: DoorRoom.allCases.filter { ![.accepted, .fleet, .admitted].contains($0) })
    func `a member has a place even when a room of strangers is full`(_ full: DoorRoom) throws {
        var book = Book(limits: Self.limits())
        for index in 0..<2_000 {
            let stranger = try pass(book.connected(from: "stranger \(index)", now: 0))
            guard case .moved = book.knocked(stranger, at: full, now: 0) else {
                book.ended(stranger)
                continue
            }
            _ = book.proved(stranger, now: 0)
        }
        #expect(book.count(in: full) == book.limits[room: full].count)
        for index in 0..<2_000 { _ = book.connected(from: "silent \(index)", now: 0) }
        #expect(book.count(in: .accepted) == book.limits[room: .accepted].count)
        for index in 0..<64 {
            let member = try pass(book.connected(from: "member \(index)", now: 1))
            guard case .moved = book.knocked(member, at: .fleet, now: 1), book.proved(member, now: 1) != nil,
                case .moved(let terms, _) = book.identified(member, in: .admitted, now: 1)
            else {
                Issue.record("member \(index) was kept out")
                return
            }
            #expect(terms.deadline == nil && terms.messageByteCountMax == 20 << 20)
        }
        #expect(book.count(in: .admitted) == 64)
    }

    // MARK: Times and sizes

    @Test func `each state but a session's has an end, and its bytes are bounded`() throws {
        let limits = DoorLimits()
        // A removed device is known, and deposits runs; of these there are two at a time.
        #expect(limits[room: .removed].count == 2 && limits[room: .removed].milliseconds == 75_000)
        for room in DoorRoom.allCases where ![.admitted, .removed].contains(room) {
            let row = limits[room: room]
            #expect(row.messageByteCountMax <= 65_536, "\(room)")
            guard room != .guest else { continue }
            let time = try #require(row.milliseconds, "\(room)")
            #expect(time <= 60_000, "\(room)")
        }
        // The bytes that strangers can have waiting in unfinished messages, in all rooms together.
        let held = DoorRoom.allCases.filter { ![.admitted, .removed, .joining].contains($0) }
            .reduce(0) { $0 + limits[room: $1].count * limits[room: $1].messageByteCountMax }
        #expect(held < 16 << 20)
    }

    @Test func `the handshake's time runs from the connection on, a room's from its end`() throws {
        var book = Book(limits: Self.limits())
        guard case .taken(let pass, let first, _) = book.connected(from: "a", now: 100) else { throw Missing() }
        #expect(first.deadline == 5_100 && first.room == .accepted)
        guard case .moved(let second, _) = book.knocked(pass, at: .recovery, now: 4_000) else { throw Missing() }
        #expect(second.deadline == 5_100 && second.room == .recovery)
        #expect(book.proved(pass, now: 5_000)?.deadline == 35_000)
        guard case .moved(let third, _) = book.identified(pass, in: .recovery, now: 9_000) else { throw Missing() }
        #expect(third.deadline == 35_000, "to be put where it is prolongs nothing")
        guard case .moved(let fourth, _) = book.identified(pass, in: .admitted, now: 10_000) else { throw Missing() }
        #expect(fourth.deadline == nil)
    }

    @Test func `no connection is identified before its handshake is finished`() throws {
        var book = Book(limits: Self.limits())
        let pass = try pass(book.connected(from: "a", now: 0))
        #expect(book.proved(pass, now: 0) == nil, "no secret was proved")
        #expect(book.identified(pass, in: .admitted, now: 0) == .refused(.full))
        _ = book.knocked(pass, at: .fleet, now: 0)
        #expect(book.identified(pass, in: .admitted, now: 0) == .refused(.full))
    }

    @Test func `a connection that this side made has limits and takes no place of others`() throws {
        var book = Book(
            limits: Self.limits { $0[room: .ticket] = .init(count: 1, countPerAddress: 1, milliseconds: 30_000) }
        )
        let (pass, terms) = book.dialled(under: .ticket, now: 0)
        #expect(terms.deadline == 5_000)
        #expect(book.proved(pass, now: 10)?.deadline == 30_010)
        #expect(book.count(in: .ticket) == 0)
        guard case .moved = try enter(&book, .ticket, from: "a") else {
            Issue.record("its own dial took the place of another device")
            return
        }
        guard case .moved(let joining, _) = book.identified(pass, in: .joining, now: 10) else { throw Missing() }
        #expect(joining.deadline == 60_010 && joining.messageByteCountMax == 65_536)
        book.ended(pass)
        #expect(book.count(in: .ticket) == 1)
    }

    // MARK: How often

    @Test func `an address that connects too often waits for its next token`() throws {
        var limits = DoorLimits()
        (limits.burst, limits.refillMilliseconds) = (3, 100)
        var book = Book(limits: limits)
        for _ in 0..<3 { book.ended(try pass(book.connected(from: "a", now: 1_000))) }
        #expect(book.connected(from: "a", now: 1_000) == .refused(.tooOften))
        #expect(book.connected(from: "a", now: 1_099) == .refused(.tooOften))
        _ = try pass(book.connected(from: "b", now: 1_099))
        _ = try pass(book.connected(from: "a", now: 1_100))
        #expect(book.connected(from: "a", now: 1_100) == .refused(.tooOften))
    }

    @Test func `a flood of addresses does not grow the table and quiet ones make room`() throws {
        var limits = DoorLimits()
        (limits.burst, limits.refillMilliseconds, limits.addressCountMax) = (2, 10, 50)
        var book = Book(limits: limits)
        for index in 0..<5_000 {
            if case .taken(let pass, _, _) = book.connected(from: "\(index)", now: 0) { book.ended(pass) }
        }
        #expect(book.addressCount <= 51)
        #expect(
            book.connected(from: "late", now: 0) == .refused(.tooOften),
            "the rest share one bucket, which is empty"
        )
        _ = try pass(book.connected(from: "later", now: 1_000))
        #expect(book.addressCount <= 3, "quiet addresses are forgotten")
    }

    @Test func `a clock that goes back releases nothing and does not trap`() throws {
        var limits = DoorLimits()
        (limits.burst, limits.refillMilliseconds) = (1, 100)
        var book = Book(limits: limits)
        guard case .taken(let pass, let terms, _) = book.connected(from: "a", now: .max) else { throw Missing() }
        #expect(terms.deadline == .max)
        book.ended(pass)
        #expect(book.connected(from: "a", now: 0) == .refused(.tooOften))
        #expect(book.connected(from: "a", now: .max) == .refused(.tooOften))
    }

    // MARK: Laws

    @Test(arguments: 0..<60)
    func `law: no room and no address ever has more than its places, and each connection leaves as it came`(
        _ seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var limits = DoorLimits()
        (limits.burst, limits.addressCountMax) = (6, 4)
        for room in DoorRoom.allCases {
            limits[room: room] = .init(
                count: 1 + Int.random(in: 0..<5, using: &generator),
                countPerAddress: 1 + Int.random(in: 0..<3, using: &generator),
                milliseconds: room == .admitted ? nil : UInt64(1 + Int.random(in: 0..<1_000, using: &generator))
            )
        }
        var book = Book(limits: limits)
        var held: [Book.Pass] = []
        var yielded: Set<Book.Pass> = []
        var now: UInt64 = 0
        let addresses = ["a", "b", "c", "d", "e", "f"]
        for _ in 0..<600 {
            now += UInt64(Int.random(in: 0..<400, using: &generator))
            let room = DoorRoom.allCases[Int.random(in: 0..<DoorRoom.allCases.count, using: &generator)]
            let choice = held.isEmpty ? 0 : Int.random(in: 0..<6, using: &generator)
            let index = held.isEmpty ? 0 : Int.random(in: 0..<held.count, using: &generator)
            var yields: Book.Pass?
            switch choice {
            case 0, 1:
                let arrival = book.connected(
                    from: addresses[Int.random(in: 0..<addresses.count, using: &generator)],
                    now: now
                )
                if case .taken(let pass, _, let other) = arrival {
                    held.append(pass)
                    yields = other
                }
            case 2:
                if case .moved(_, let other) = book.knocked(held[index], at: room, now: now) {
                    #expect(!yielded.contains(held[index]), "seed \(seed)")
                    yields = other
                }
            case 3:
                let isKept = book.proved(held[index], now: now) != nil
                #expect(!isKept || !yielded.contains(held[index]), "seed \(seed)")
            case 4:
                if case .moved(_, let other) = book.identified(held[index], in: room, now: now) {
                    #expect(!yielded.contains(held[index]), "seed \(seed)")
                    yields = other
                }
            default:
                let pass = held.remove(at: index)
                book.ended(pass)
                yielded.remove(pass)
            }
            if let yields {
                #expect(held.contains(yields) && yielded.insert(yields).inserted, "seed \(seed): yields once")
            }
            for room in DoorRoom.allCases {
                #expect(book.count(in: room) <= limits[room: room].count, "seed \(seed), \(room)")
                for address in addresses {
                    let count = book.count(in: room, from: address)
                    #expect(count <= limits[room: room].countPerAddress, "seed \(seed), \(room)")
                }
            }
            #expect(book.connectionCount == held.count, "seed \(seed)")
        }
        for pass in held { book.ended(pass) }
        #expect(book.connectionCount == 0 && DoorRoom.allCases.allSatisfy { book.count(in: $0) == 0 }, "seed \(seed)")
    }
}
