import FuzzKit
import Session
import TestSupport

/// The book of connections: a program of facts about connections from many addresses, under a clock that may also go back.
let admissionTarget = FuzzTarget(
    "admission",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        var limits = DoorLimits()
        limits.burst = 1 + input.below(8)
        limits.refillMilliseconds = 1 + input.number() % (1 << 40)
        limits.addressCountMax = 1 + input.below(12)
        for room in DoorRoom.allCases {
            limits[room: room] = DoorLimits.Row(
                count: 1 + input.below(6),
                countPerAddress: 1 + input.below(4),
                milliseconds: input.bool() ? nil : input.number()
            )
        }
        var book = DoorBook<UInt8>(limits: limits)
        var held: [DoorBook<UInt8>.Pass] = []
        var now = input.number()
        func demandHeld(_ other: DoorBook<UInt8>.Pass?) {
            if let other { demand(held.contains(other), "whoever yields is in the book") }
        }
        while !input.isEmpty {
            let room = DoorRoom.allCases[input.below(DoorRoom.allCases.count)]
            let index = held.isEmpty ? 0 : input.below(held.count)
            switch held.isEmpty ? input.below(2) : input.below(8) {
            case 0:
                if case .taken(let pass, _, let other) = book.connected(from: input.byte(), now: now) {
                    demandHeld(other)
                    held.append(pass)
                }
            case 1:
                now = input.bool() ? now &+ input.number() : input.number()
            case 2:
                held.append(book.dialled(under: room, now: now).0)
            case 3, 4:
                if case .moved(let terms, let other) = book.knocked(held[index], at: room, now: now) {
                    demand(terms.room == room, "it is where it was put")
                    demandHeld(other)
                }
            case 5:
                _ = book.proved(held[index], now: now)
            case 6:
                if case .moved(let terms, let other) = book.identified(held[index], in: room, now: now) {
                    demand(terms.room == room, "it is where it was put")
                    demandHeld(other)
                }
            default:
                book.ended(held.remove(at: index))
            }
            demand(book.connectionCount == held.count, "each connection is counted once")
            for room in DoorRoom.allCases {
                demand(book.count(in: room) <= limits[room: room].count, "no more are in a room than may be")
            }
            demand(book.addressCount <= limits.addressCountMax + 1, "no more addresses are kept than may be")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 7)
        return (0..<30).map { _ in generator.bytes(60 + generator.below(400)) }
    }
)
