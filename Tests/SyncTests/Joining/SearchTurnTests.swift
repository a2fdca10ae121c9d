import Identity
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `A search for a device that admits this one` {
    private static let key = JoiningKey.ticket(identifier: [1])

    private func search(isUnattended: Bool) -> JoiningCore.Search {
        JoiningCore.Search(key: Self.key, isUnattended: isUnattended)
    }

    @Test func `begins while there is none, and with a caller also in place of one without`() {
        var core = JoiningCore()
        let (attended, unattended) = (search(isUnattended: false), search(isUnattended: true))
        #expect(!core.isSearching(against: attended) && !core.isSearching(against: unattended))
        _ = core.begin(unattended)
        #expect(!core.isSearching(against: attended), "no caller waits for the other one")
        #expect(core.isSearching(against: unattended))
        _ = core.begin(attended)
        #expect(core.isSearching(against: attended), "a caller waits for it")
        #expect(core.isSearching(against: unattended))
    }

    @Test func `does not begin while a device is being asked for admission`() throws {
        let (host, guest) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
        var core = JoiningCore()
        _ = core.begin(search(isUnattended: true))
        let link = JoiningLink(
            session: 1,
            role: .joining,
            certificate: host.certificate,
            payload: host.payload,
            key: Self.key,
            binding: [1]
        )
        var effects: [JoiningEffect] = []
        core.opened(link, at: 1_000, in: guest, random: &guest.random, into: &effects)
        #expect(!effects.isEmpty && core.isAsking)
        #expect(core.isSearching(against: search(isUnattended: false)))
    }
}
