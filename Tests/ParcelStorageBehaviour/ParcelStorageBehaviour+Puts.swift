import Mailbox
import Wire

// The outcomes of a deposit.
extension ParcelStorageBehaviour {
    func checkPut(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1, quota: 1 << 30))
        let byteCounts = [Limits.parcelByteCountMin, 65_536, 2_097_152, Limits.parcelByteCountMax]
        for (number, byteCount) in zip(1..., byteCounts) {
            var deposit = Samples.deposit(number)
            deposit.parcel = Samples.parcel(number, byteCount: byteCount)
            try await same(storage.put(deposit), .stored)
            try await require(storage.parcel(deposit.parcel.id, in: deposit.mailbox) == deposit.parcel.bytes)
        }
        let found = try await storage.parcels(in: [Samples.mailbox(1)], limit: 9)
        try same(found.map(\.byteCount), byteCounts.map { UInt64($0) })
        try same(found.first, Samples.notice(1))
    }

    func checkPutTwice(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        for number in [1, 2, 1, 1] { try await same(storage.put(Samples.deposit(number)), .stored) }
        let usage = try await required(storage.admission(Samples.admission(1).id))
        try same([usage.byteCount, usage.parcelCount], [2 * Samples.size, 2])
        let found = try await storage.parcels(in: [Samples.mailbox(1)], limit: 9)
        try same(found, [Samples.notice(1), Samples.notice(2)])
        try await storage.remove([Samples.parcel(1).id], from: Samples.mailbox(1))
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(1)) == nil)
        // It may come again, and is the newest then.
        try await same(storage.put(Samples.deposit(1)), .stored)
        let again = try await storage.parcels(in: [Samples.mailbox(1)], limit: 9)
        try same(again, [Samples.notice(2), Samples.notice(1)])
    }

    func checkProlonging(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        for until in [100, 300, 200] as [UInt64] {
            try await same(storage.put(Samples.deposit(1, until: until)), .stored)
        }
        try await same(storage.expire(at: 299, limit: 9), 0)
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(1)) != nil)
        try await same(storage.expire(at: 300, limit: 9), 1)
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(1)) == nil)
    }

    func checkTwoMailboxes(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        try await same(storage.put(Samples.deposit(1, in: 1, under: 1)), .stored)
        try await same(storage.put(Samples.deposit(1, in: 2, under: 2)), .stored)
        for number in [1, 2] {
            let usage = try await required(storage.admission(Samples.admission(number).id))
            try same([usage.byteCount, usage.parcelCount], [Samples.size, 1])
        }
        try await storage.remove([Samples.parcel(1).id], from: Samples.mailbox(1))
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(1)) == nil)
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(2)) == Samples.parcel(1).bytes)
        let found = try await storage.parcels(in: [Samples.mailbox(1), Samples.mailbox(2)], limit: 9)
        try same(found, [Samples.notice(1, in: 2)])
    }

    func checkQuota(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1, quota: 2 * Samples.size))
        try await storage.admit(Samples.admission(2))
        try await same(storage.put(Samples.deposit(1, in: 1)), .stored)
        try await same(storage.put(Samples.deposit(2, in: 2)), .stored)
        try await same(storage.put(Samples.deposit(3, in: 3)), .full)
        try await require(storage.parcel(Samples.parcel(3).id, in: Samples.mailbox(3)) == nil)
        try await same(storage.put(Samples.deposit(3, in: 3, under: 2)), .stored)
        try await storage.remove([Samples.parcel(2).id], from: Samples.mailbox(2))
        try await same(storage.put(Samples.deposit(4, in: 3)), .stored)
        try await same(storage.put(Samples.deposit(5, in: 3)), .full)
    }

    func checkShare(_ storage: any ParcelStorage) async throws {
        let quarter = ParcelRoom(total: 1 << 40)
        try await storage.admit(Samples.admission(1, quota: 8 * Samples.size))
        try await same(storage.put(Samples.deposit(1, in: 1, room: quarter)), .stored)
        try await same(storage.put(Samples.deposit(2, in: 1, room: quarter)), .stored)
        try await same(storage.put(Samples.deposit(3, in: 1, room: quarter)), .full)
        try await same(storage.put(Samples.deposit(3, in: 2, room: quarter)), .stored)
        // The parcels of one admission do not count towards the share of another.
        try await storage.admit(Samples.admission(2, quota: 8 * Samples.size))
        for number in [4, 5, 6] {
            try await same(
                storage.put(Samples.deposit(number, in: 1, under: 2, room: quarter)),
                number < 6 ? .stored : .full
            )
        }
        try await require(storage.dismiss(Samples.admission(2).id))
        try await storage.remove([Samples.parcel(1).id], from: Samples.mailbox(1))
        try await same(storage.put(Samples.deposit(3, in: 1, room: quarter)), .stored)
        let found = try await storage.parcels(in: [Samples.mailbox(1)], limit: 9)
        try same(found, [Samples.notice(2), Samples.notice(3)])
    }

    func checkTotal(_ storage: any ParcelStorage) async throws {
        let room = ParcelRoom(total: 2 * Samples.size, mailboxShare: 1)
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        try await same(storage.put(Samples.deposit(1, in: 1, under: 1, room: room)), .stored)
        try await same(storage.put(Samples.deposit(2, in: 2, under: 2, room: room)), .stored)
        try await same(storage.put(Samples.deposit(3, in: 3, under: 1, room: room)), .full)
        try await same(storage.put(Samples.deposit(3, in: 3, under: 2, room: room)), .full)
        try await require(storage.dismiss(Samples.admission(1).id))
        try await same(storage.put(Samples.deposit(3, in: 3, under: 2, room: room)), .stored)
        try await same(storage.put(Samples.deposit(4, in: 4, under: 2, room: room)), .full)
    }

    func checkPutWhenFull(_ storage: any ParcelStorage) async throws {
        let narrow = ParcelRoom(total: Samples.size, mailboxShare: 1)
        try await storage.admit(Samples.admission(1, quota: Samples.size))
        try await same(storage.put(Samples.deposit(1, until: 100, room: narrow)), .stored)
        try await same(storage.put(Samples.deposit(2, until: 100, room: narrow)), .full)
        try await same(storage.put(Samples.deposit(1, until: 200, room: narrow)), .stored)
        try await same(storage.expire(at: 150, limit: 9), 0)
        try await require(storage.parcel(Samples.parcel(1).id, in: Samples.mailbox(1)) != nil)
    }

    func checkStrangers(_ storage: any ParcelStorage) async throws {
        try await same(storage.put(Samples.deposit(1)), .notAdmitted)
        try await storage.admit(Samples.admission(1))
        try await same(storage.put(Samples.deposit(1, until: 100)), .stored)
        try await same(storage.put(Samples.deposit(1, under: 2, until: 200)), .notAdmitted)
        try await same(storage.put(Samples.deposit(2, under: 2)), .notAdmitted)
        let found = try await storage.parcels(in: [Samples.mailbox(1)], limit: 9)
        try same(found, [Samples.notice(1)])
        try await same(storage.expire(at: 150, limit: 9), 1)
    }

    func checkAtOnce(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask { try await storage.put(Samples.deposit(number % 20)) }
            }
            for try await outcome in group { try same(outcome, .stored) }
        }
        let usage = try await required(storage.admission(Samples.admission(1).id))
        try same([usage.byteCount, usage.parcelCount], [20 * Samples.size, 20])
        let found = try await storage.parcels(in: [Samples.mailbox(1)], limit: 99)
        try same(found.count, 20)
        try same(Set(found), Set((0..<20).map { Samples.notice($0) }))
    }
}
