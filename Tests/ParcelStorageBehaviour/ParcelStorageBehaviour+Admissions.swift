import Mailbox
import Wire

// Admissions, and the parcels kept under them.
extension ParcelStorageBehaviour {
    func checkDismissal(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        for number in 1...6 {
            try await same(storage.put(Samples.deposit(number, in: 1, under: 1 + number % 2)), .stored)
        }
        try await same(storage.put(Samples.deposit(7, in: 2, under: 1)), .stored)
        try await require(storage.dismiss(Samples.admission(1).id))
        try await require(storage.dismiss(Samples.admission(1).id) == false)
        try await require(storage.admission(Samples.admission(1).id) == nil)
        try await same(storage.admissions().map(\.admission), [Samples.admission(2)])
        let mailboxes = [Samples.mailbox(1), Samples.mailbox(2)]
        try await same(storage.parcels(in: mailboxes, limit: 99), [1, 3, 5].map { Samples.notice($0) })
        try await require(storage.parcel(Samples.parcel(2).id, in: mailboxes[0]) == nil)
        try await require(storage.parcel(Samples.parcel(7).id, in: mailboxes[1]) == nil)
        try await same(storage.put(Samples.deposit(2, under: 1)), .notAdmitted)

        // An admission that is granted again begins with nothing.
        try await storage.admit(Samples.admission(1))
        let usage = try await required(storage.admission(Samples.admission(1).id))
        try same([usage.byteCount, usage.parcelCount], [0, 0])
        try await same(storage.parcels(in: mailboxes, limit: 99), [1, 3, 5].map { Samples.notice($0) })
        try await same(storage.put(Samples.deposit(2, under: 1)), .stored)
        try await same(storage.parcels(in: mailboxes, limit: 99), [1, 3, 5, 2].map { Samples.notice($0) })
    }

    func checkPasses(_ storage: any ParcelStorage) async throws {
        let giver = Samples.admission(1, quota: 16 * Samples.size * 2)
        try await storage.admit(giver)
        let passes = (11...13).map { Samples.admission($0).id }
        try await same(storage.give(passes, under: giver.id, at: 5, until: 100), passes)
        let found = try await required(storage.admission(passes[0])).admission
        try same(found.quota, Samples.size * 2)
        try same(found.pass, Admission.Pass(giver: giver.id, until: 100))
        try same(found.since, 5)
        // It is full when its quota is used up, even if its giver has room.
        for number in 1...2 { try await same(storage.put(Samples.deposit(number, under: 11, until: 900)), .stored) }
        try await same(storage.put(Samples.deposit(3, under: 11, until: 900)), .full)
        try await same(storage.put(Samples.deposit(4, in: 2, under: 12, until: 900)), .stored)
        try await same(storage.put(Samples.deposit(5, in: 3, under: 1, until: 900)), .stored)
        try await same(storage.admission(giver.id)?.parcelCount, 1)
        try await same(storage.admission(passes[0])?.parcelCount, 2)
        // Given again, it is valid for longer; never for less.
        try await same(storage.give([passes[0]], under: giver.id, at: 6, until: 200), [passes[0]])
        try await same(storage.give([passes[0]], under: giver.id, at: 6, until: 50), [passes[0]])
        try await same(storage.admission(passes[0])?.admission.pass?.until, 200)
        _ = try await storage.expire(at: 100, limit: 99)
        try await require(storage.admission(passes[1]) == nil)
        let mailboxes = (1...3).map { Samples.mailbox($0) }
        try await same(
            storage.parcels(in: mailboxes, limit: 99),
            [Samples.notice(1), Samples.notice(2), Samples.notice(5, in: 3)]
        )
        try await require(storage.dismiss(giver.id))
        try await require(storage.admission(passes[0]) == nil)
        try await same(storage.parcels(in: mailboxes, limit: 99), [])
        try await same(storage.admissions(), [])
    }

    func checkPassBounds(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1))
        try await storage.admit(Samples.admission(2))
        let passes = (11...50).map { Samples.admission($0).id }
        let given = try await storage.give(passes, under: Samples.admission(1).id, at: 1, until: 100)
        try same(given, Array(passes.prefix(Limits.passCountMax)))
        try await same(storage.give([passes[39]], under: Samples.admission(1).id, at: 1, until: 100), [])
        try await same(storage.give([passes[39]], under: passes[0], at: 1, until: 100), [])
        try await same(storage.give([passes[39]], under: Samples.admission(9).id, at: 1, until: 100), [])
        let taken = [passes[0], Samples.admission(1).id, Samples.admission(2).id, passes[39]]
        try await same(storage.give(taken, under: Samples.admission(2).id, at: 1, until: 300), [passes[39]])
        try await same(storage.admission(passes[0])?.admission.pass?.until, 100)
        try await same(storage.admission(Samples.admission(2).id)?.admission, Samples.admission(2))
    }

    func checkAdmissions(_ storage: any ParcelStorage) async throws {
        let admissions = [(4, 20), (2, 10), (3, 40), (1, 30)].map { number, since in
            Samples.admission(number, quota: UInt64(1_000 * number), since: UInt64(since))
        }
        for admission in admissions { try await storage.admit(admission) }
        let expected = [admissions[1], admissions[0], admissions[3], admissions[2]]
        let found = try await storage.admissions()
        try same(found, expected.map { AdmissionUsage(admission: $0, byteCount: 0, parcelCount: 0) })
        for admission in admissions { try await same(storage.admission(admission.id)?.admission, admission) }
        try await require(storage.dismiss(admissions[0].id))
        try await same(storage.admissions().map(\.admission), [expected[0], expected[2], expected[3]])
    }

    func checkUsage(_ storage: any ParcelStorage) async throws {
        try await storage.admit(Samples.admission(1, since: 1))
        try await storage.admit(Samples.admission(2, since: 2))
        func check(_ first: UInt64, _ second: UInt64, line: Int = #line) async throws {
            let all = try await storage.admissions()
            try same(all.map(\.parcelCount), [first, second], line: line)
            try same(all.map(\.byteCount), [first * Samples.size, second * Samples.size], line: line)
            for usage in all { try await same(storage.admission(usage.admission.id), usage, line: line) }
        }
        try await check(0, 0)
        for number in 1...4 { try await same(storage.put(Samples.deposit(number, until: 100)), .stored) }
        for number in 5...7 { try await same(storage.put(Samples.deposit(number, in: 2, under: 2)), .stored) }
        try await check(4, 3)
        try await storage.remove([Samples.parcel(1).id, Samples.parcel(5).id], from: Samples.mailbox(1))
        try await check(3, 3)
        try await storage.remove([Samples.parcel(5).id, Samples.parcel(5).id], from: Samples.mailbox(2))
        try await check(3, 2)
        // A parcel counts for the admission that put it first.
        try await same(storage.put(Samples.deposit(2, under: 2, until: 100)), .stored)
        try await check(3, 2)
        try await same(storage.expire(at: 100, limit: 2), 2)
        try await check(1, 2)
        try await same(storage.expire(at: 100, limit: 2), 1)
        try await check(0, 2)
    }

    func checkDurability(_ storage: any ParcelStorage, _ reopening: Reopening?) async throws {
        guard let reopening else { return }
        var storage = storage
        try await storage.admit(Samples.admission(1, since: 1))
        try await storage.admit(Samples.admission(2, since: 2))
        try await storage.admit(Samples.admission(3, since: 3))
        for number in 1...6 {
            let deposit = Samples.deposit(number, in: 1 + number % 2, under: 1 + number % 3, until: UInt64(number))
            try await same(storage.put(deposit), .stored)
        }
        storage = try await reopening(storage)
        let mailboxes = [Samples.mailbox(1), Samples.mailbox(2)]
        let expected = [2, 4, 6].map { Samples.notice($0, in: 1) } + [1, 3, 5].map { Samples.notice($0, in: 2) }
        try await same(storage.parcels(in: mailboxes, limit: 99), expected)
        try await require(storage.parcel(Samples.parcel(5).id, in: mailboxes[1]) == Samples.parcel(5).bytes)
        try await same(storage.admissions().map(\.admission), (1...3).map { Samples.admission($0, since: UInt64($0)) })
        try await same(storage.admissions().map(\.parcelCount), [2, 2, 2])
        try await same(storage.admissions().map(\.byteCount), [2, 2, 2].map { $0 * Samples.size })

        try await storage.remove([Samples.parcel(4).id], from: mailboxes[0])
        try await same(storage.put(Samples.deposit(6, in: 1, until: 50)), .stored)
        try await require(storage.dismiss(Samples.admission(3).id))
        storage = try await reopening(storage)
        try await same(
            storage.parcels(in: mailboxes, limit: 99),
            [Samples.notice(6, in: 1), Samples.notice(1, in: 2), Samples.notice(3, in: 2)]
        )
        try await same(storage.admissions().map(\.parcelCount), [2, 1])
        try await same(storage.expire(at: 49, limit: 9), 2)
        storage = try await reopening(storage)
        try await same(storage.parcels(in: mailboxes, limit: 99), [Samples.notice(6, in: 1)])
    }
}
