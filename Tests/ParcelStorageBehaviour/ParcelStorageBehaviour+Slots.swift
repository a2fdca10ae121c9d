import Mailbox
import Wire

// Slots, which are written once.
extension ParcelStorageBehaviour {
    func checkSlots(_ storage: any ParcelStorage) async throws {
        try await same(storage.claim(Samples.claim(1, by: 1)), .notAdmitted)
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        try await same(storage.claim(Samples.claim(1, by: 1)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(1, by: 2)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(1, by: 3, under: 2)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(1, by: 1)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(2, by: 2)), .held(Samples.value(2)))
        try await same(storage.claim(Samples.claim(1, by: 1, under: 3)), .notAdmitted)
        let usage = try await required(storage.admission(Samples.admission(1).id))
        try same([usage.byteCount, usage.parcelCount], [2 * SlotClaim.byteCount, 0])
        try await same(storage.admission(Samples.admission(2).id)?.byteCount, 0)
    }

    func checkSlotsAtOnce(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        var answers: [Int: Set<SlotOutcome>] = [:]
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask { (number % 4, try await storage.claim(Samples.claim(number % 4, by: number))) }
            }
            for try await (slot, outcome) in group { answers[slot, default: []].insert(outcome) }
        }
        for slot in 0..<4 {
            guard case .held(let value)? = answers[slot]?.first, answers[slot]?.count == 1 else {
                return try require(false)
            }
            try await same(storage.claim(Samples.claim(slot, by: 99)), .held(value))
        }
        try await same(storage.admission(Samples.admission(1).id)?.byteCount, 4 * SlotClaim.byteCount)
    }

    func checkSlotQuota(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1, quota: 2 * SlotClaim.byteCount))
        try await storage.admit(Samples.admission(2, quota: Samples.size + SlotClaim.byteCount - 1))
        for number in 1...2 {
            try await same(storage.claim(Samples.claim(number, by: 1)), .held(Samples.value(1)))
        }
        try await same(storage.claim(Samples.claim(3, by: 1)), .full)
        try await same(storage.claim(Samples.claim(2, by: 5)), .held(Samples.value(1)))
        // Parcels and slots count together.
        try await same(storage.claim(Samples.claim(3, by: 2, under: 2)), .held(Samples.value(2)))
        try await same(storage.put(Samples.deposit(1, under: 2)), .full)
        let narrow = ParcelRoom(total: 3 * SlotClaim.byteCount, mailboxShare: 1)
        try await storage.admit(Samples.admission(3))
        try await same(storage.claim(Samples.claim(4, by: 1, under: 3, room: narrow)), .full)
        try await same(storage.claim(Samples.claim(3, by: 1, under: 3, room: narrow)), .held(Samples.value(2)))
    }

    func checkSlotExpiry(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await same(storage.claim(Samples.claim(1, by: 1, until: 100)), .held(Samples.value(1)))
        // The time of the first value counts.
        try await same(storage.claim(Samples.claim(1, by: 2, until: 900)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(2, by: 1, until: 200)), .held(Samples.value(1)))
        try await same(storage.put(Samples.deposit(1, until: 100)), .stored)
        try await same(storage.expire(at: 99, limit: 9), 0)
        try await same(storage.expire(at: 100, limit: 9), 2)
        try await same(storage.admission(Samples.admission(1).id)?.byteCount, SlotClaim.byteCount)
        try await same(storage.claim(Samples.claim(1, by: 2, until: 900)), .held(Samples.value(2)))
        try await same(storage.claim(Samples.claim(2, by: 2, until: 900)), .held(Samples.value(1)))
        for number in 3...7 { _ = try await storage.claim(Samples.claim(number, by: 1, until: 300)) }
        try await same(storage.expire(at: 300, limit: 4), 4)
        try await same(storage.expire(at: 300, limit: 4), 2)
        try await same(storage.expire(at: 300, limit: 4), 0)
        try await same(storage.admission(Samples.admission(1).id)?.byteCount, SlotClaim.byteCount)
    }

    func checkSlotDismissal(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        try await same(storage.claim(Samples.claim(1, by: 1, under: 1)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(2, by: 1, under: 2)), .held(Samples.value(1)))
        try await require(storage.dismiss(Samples.admission(1).id))
        try await same(storage.claim(Samples.claim(1, by: 2, under: 2)), .held(Samples.value(2)))
        try await same(storage.claim(Samples.claim(2, by: 2, under: 2)), .held(Samples.value(1)))
        try await storage.admit(Samples.admission(1))
        try await same(storage.admission(Samples.admission(1).id)?.byteCount, 0)
    }

    func checkSlotDurability(_ storage: any ParcelStorage, _ reopening: Reopening?) async throws {
        guard let reopening else { return }
        try await storage.admit(Samples.admission(1))
        try await same(storage.claim(Samples.claim(1, by: 1)), .held(Samples.value(1)))
        let storage = try await reopening(storage)
        try await same(storage.claim(Samples.claim(1, by: 2)), .held(Samples.value(1)))
        try await same(storage.claim(Samples.claim(2, by: 2)), .held(Samples.value(2)))
        try await same(storage.admission(Samples.admission(1).id)?.byteCount, 2 * SlotClaim.byteCount)
    }
}
