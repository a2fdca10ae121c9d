import Identity
import Records
import Sync
import Testing
import Wire

/// The renewed keys of an account's devices, which come to each device by envelopes in the account log.
@Suite struct `The keys of its account that a device finds` {
    /// Removes a device, and renews the key of the others.
    private func renew(_ neighbours: inout Neighbours, removing device: Int) throws -> FleetKey {
        try neighbours.remove(device, by: 0)
        let entropy = TransactionEntropy(using: &neighbours.random)
        let key = neighbours.logs[0].renewFleetKey(
            signer: .device(neighbours.homes[0].keys),
            envelopes: neighbours.envelopes,
            entropy: entropy,
            using: &neighbours.random
        )
        return try #require(key)
    }

    /// Returns the entries of the keys that the second device finds.
    private func found(_ neighbours: Neighbours, with keyring: AccountKeyring) -> [Hash] {
        let (log, device) = (neighbours.logs[0].state, neighbours.homes[1].keys)
        let found = FoundFleetKeys(log, keyring, offered: nil, device: device, envelopes: neighbours.envelopes)
        return found.keys.map(\.entry)
    }

    @Test func `are those of all generations that are newer than its own`() throws {
        var neighbours = try Neighbours([4], envelopes: BoxEnvelopes())
        let keyring = neighbours.keyrings[0]
        #expect(found(neighbours, with: keyring).isEmpty)
        let first = try renew(&neighbours, removing: 3)
        #expect(found(neighbours, with: keyring) == [first.entry])
        let second = try renew(&neighbours, removing: 2)
        #expect(neighbours.logs[0].state.fleet.generations.map(\.entry) == [second.entry, first.entry, .zero])
        #expect(found(neighbours, with: keyring) == [second.entry, first.entry])
        #expect(found(neighbours, with: keyring.holding(first)) == [second.entry])
        #expect(found(neighbours, with: keyring.holding(second)).isEmpty)
    }
}
