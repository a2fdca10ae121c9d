import Identity
import Records
import Sync
import Testing
import Wire

/// The key of a zone of an account with more devices than one operation has envelopes.
@Suite struct `The key of a zone for many devices` {
    /// Makes the entry that adds a device to the account.
    private func entry(
        adding device: DeviceIdentity,
        by signer: DeviceIdentity,
        _ neighbours: inout Neighbours
    ) throws -> [UInt8] {
        let (log, certificate) = (neighbours.logs[0], try neighbours.certificate(of: device))
        return try log.addingDevice(
            certificate,
            role: .full,
            name: "device",
            signer: .device(signer),
            using: &neighbours.random
        ).encoded
    }

    /// An account of so many devices, of which the first one has a store.
    private func neighbours(_ count: Int) throws -> Neighbours {
        var neighbours = try Neighbours([1], envelopes: BoxEnvelopes())
        let (first, second) = (neighbours.homes[0].keys, DeviceIdentity(using: &neighbours.random))
        let addition = try entry(adding: second, by: first, &neighbours)
        try neighbours.logs[0].insert(addition)
        var entries: [[UInt8]] = []
        for number in 2..<count {
            let device = DeviceIdentity(using: &neighbours.random)
            // A log has no room for so many entries of one device.
            entries.append(try entry(adding: device, by: number % 2 == 0 ? first : second, &neighbours))
        }
        try neighbours.logs[0].insert(contentsOf: entries)
        return neighbours
    }

    @Test func `is given to each of them at once, in as many operations as it takes`() throws {
        var neighbours = try neighbours(Limits.envelopeCountMax + 1)
        let devices = neighbours.logs[0].state.activeDevices
        #expect(devices.count == Limits.envelopeCountMax + 1)
        let zone = try neighbours.zone(of: 0)
        let store = neighbours.homes[0].store
        var receivers: [DeviceID] = []
        for row in try store.logs(zone: zone) where row.key.lane == .control {
            for item in try store.items(row.key, from: 0, to: row.size) {
                guard case .operation(let stored) = item.content else { continue }
                switch try ControlBody(decoding: stored.operation.body) {
                case .epoch(let bytes): receivers += try KeyEpoch(decoding: bytes).envelopes.map(\.device)
                case .delivery(let bytes): receivers += try KeyDelivery(decoding: bytes).envelopes.map(\.device)
                default: continue
                }
            }
        }
        #expect(receivers.sorted() == devices.sorted())
        #expect(try store.zone(zone)?.needsKeys == false)
    }
}
