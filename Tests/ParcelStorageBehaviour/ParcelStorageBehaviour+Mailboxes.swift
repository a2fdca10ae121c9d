import Mailbox
import Wire

// The contents of mailboxes, and their removal.
extension ParcelStorageBehaviour {
    func checkListing(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        // They come by turns, and in no order of their names.
        for number in 1...4 {
            for mailbox in 1...3 {
                let deposit = Samples.deposit(10 * mailbox + number, in: mailbox, under: 1 + number % 2)
                try await same(storage.put(deposit), .stored)
            }
        }
        let expected = [3, 1, 2].map { mailbox in
            (1...4).map { Samples.notice(10 * mailbox + $0, in: mailbox) }
        }
        // Most of many mailboxes are empty.
        let empty = (100..<(100 + Limits.mailboxCountMax - 3)).map { Samples.mailbox($0) }
        let mailboxes = [Samples.mailbox(3)] + empty.prefix(100) + [Samples.mailbox(1)] + empty.dropFirst(100)
        let all = try await storage.parcels(in: mailboxes + [Samples.mailbox(2)], limit: 256)
        try same(all, Array(expected.joined()))
        for limit in [0, 1, 4, 6, 11, 12, 13] {
            let found = try await storage.parcels(in: mailboxes + [Samples.mailbox(2)], limit: limit)
            try same(found, Array(expected.joined().prefix(limit)))
        }
        for (index, mailbox) in [3, 1, 2].enumerated() {
            let found = try await storage.parcels(in: [Samples.mailbox(mailbox)], limit: 256)
            try same(found, expected[index])
        }
        try await require(storage.parcels(in: [], limit: 9).isEmpty)
        try await require(storage.parcels(in: empty, limit: 9).isEmpty)
    }

    func checkAbsence(_ storage: any ParcelStorage) async throws {
        let mailbox = Samples.mailbox(1)
        let parcels = (1...3).map { Samples.parcel($0).id }
        try await require(storage.parcels(in: [mailbox], limit: 9).isEmpty)
        try await require(storage.parcel(parcels[0], in: mailbox) == nil)
        try await storage.remove(parcels, from: mailbox)
        try await storage.remove([], from: mailbox)
        try await require(storage.held(parcels, in: mailbox).isEmpty)
        try await same(storage.expire(at: .max, limit: 9), 0)
        try await require(storage.admissions().isEmpty)
        try await require(storage.admission(Samples.admission(1).id) == nil)
        try await require(storage.dismiss(Samples.admission(1).id) == false)

        try await storage.admit(Samples.admission(1))
        try await same(storage.put(Samples.deposit(1)), .stored)
        try await require(storage.parcel(parcels[1], in: mailbox) == nil)
        try await require(storage.parcel(parcels[0], in: Samples.mailbox(2)) == nil)
        try await storage.remove([parcels[0]], from: Samples.mailbox(2))
        try await storage.remove([parcels[1], parcels[2]], from: mailbox)
        try await same(storage.parcels(in: [mailbox], limit: 9), [Samples.notice(1)])
        try await require(storage.held([], in: mailbox).isEmpty)
    }

    func checkRemoval(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        for number in 1...5 {
            try await same(storage.put(Samples.deposit(number, in: 1)), .stored)
            try await same(storage.put(Samples.deposit(number, in: 2)), .stored)
        }
        let removed = [4, 9, 2].map { Samples.parcel($0).id }
        try await storage.remove(removed, from: Samples.mailbox(1))
        try await storage.remove(removed, from: Samples.mailbox(1))
        let found = try await storage.parcels(in: [Samples.mailbox(1), Samples.mailbox(2)], limit: 99)
        try same(found, [1, 3, 5].map { Samples.notice($0, in: 1) } + (1...5).map { Samples.notice($0, in: 2) })
        try await require(storage.parcel(Samples.parcel(2).id, in: Samples.mailbox(1)) == nil)
        try await require(storage.parcel(Samples.parcel(2).id, in: Samples.mailbox(2)) == Samples.parcel(2).bytes)
        try await require(storage.parcel(Samples.parcel(3).id, in: Samples.mailbox(1)) == Samples.parcel(3).bytes)
    }

    func checkHeld(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        for number in 1...4 { try await same(storage.put(Samples.deposit(number)), .stored) }
        try await same(storage.put(Samples.deposit(5, in: 2)), .stored)
        let asked = [4, 8, 1, 5, 3].map { Samples.parcel($0).id }
        let found = try await storage.held(asked, in: Samples.mailbox(1))
        try same(found, [4, 1, 3].map { Samples.parcel($0).id })
        try await storage.remove([Samples.parcel(1).id], from: Samples.mailbox(1))
        let left = try await storage.held(asked, in: Samples.mailbox(1))
        try same(left, [4, 3].map { Samples.parcel($0).id })
        try await same(storage.held(asked, in: Samples.mailbox(2)), [Samples.parcel(5).id])
    }

    func checkExpiry(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        // Seven expire at 100, and come between others that do not.
        for number in 0..<14 {
            let until: UInt64 = number.isMultiple(of: 2) ? 100 : 200
            try await same(storage.put(Samples.deposit(number, in: number % 3, until: until)), .stored)
        }
        try await same(storage.expire(at: 99, limit: 5), 0)
        try await same(storage.expire(at: 100, limit: 5), 5)
        try await same(storage.expire(at: 199, limit: 5), 2)
        try await same(storage.expire(at: 199, limit: 5), 0)
        let mailboxes = (0..<3).map { Samples.mailbox($0) }
        let found = try await storage.parcels(in: mailboxes, limit: 99)
        let expected = (0..<3).flatMap { mailbox in
            (0..<14).filter { $0 % 3 == mailbox && !$0.isMultiple(of: 2) }.map { Samples.notice($0, in: mailbox) }
        }
        try same(found, expected)
        try await require(storage.parcel(Samples.parcel(2).id, in: Samples.mailbox(2)) == nil)
        try await same(storage.expire(at: 200, limit: 99), 7)
        try await require(storage.parcels(in: mailboxes, limit: 99).isEmpty)
    }
}
