import Records
import ReplicaBehaviour
import Sync
import Wire

// What the node keeps beside the replica.
extension NodeStoreBehaviour {
    private static func device(_ number: UInt8) -> DeviceID { TestAuthor(number).author.device }

    func checkEntries(_ store: inout some NodeTransaction) throws {
        try require(store.accountEntries().isEmpty)
        try store.appendAccountEntries([[1], [2, 2], []])
        try store.appendAccountEntries([[0]])
        try require(store.accountEntries() == [[1], [2, 2], [], [0]])
        try store.removeAccountEntries()
        try store.appendAccountEntries([[5]])
        try require(store.accountEntries() == [[5]])
    }

    func checkPeers(_ store: inout some NodeTransaction) throws {
        let devices = (1...3).map { Self.device($0) }
        for device in devices {
            try store.save(PeerRow(device: device, addresses: ["a:1"], lastSeenMilliseconds: 0))
        }
        let many = ["e:5", "[::1]:2", "c:3", "d:4", "a:1"]
        try store.save(PeerRow(device: devices[1], addresses: many, lastSeenMilliseconds: 77))
        let found = try store.peers()
        try require(found.map(\.device) == devices.sorted())
        let row = try required(found.first { $0.device == devices[1] })
        try require(row.addresses == Array(many.prefix(4)) && row.lastSeenMilliseconds == 77)
        try require(row.channelVersion == nil)
        for (said, kept) in [(.classical, .classical), (.hybrid, .hybrid), (.classical, .hybrid), (nil, .hybrid)]
            as [(ChannelVersion?, ChannelVersion?)]
        {
            var changed = row
            changed.channelVersion = said
            try store.save(changed)
            try require(store.peers().first { $0.device == devices[1] }?.channelVersion == kept)
        }
    }

    func checkAcknowledgements(_ store: inout some NodeTransaction) throws {
        let keys = [TestAuthor(1).log(), TestAuthor(1).log(TestZone.id, .control), TestAuthor(2).log()]
        var expected: [UInt64] = []
        for device in [Self.device(1), Self.device(2)].sorted() {
            for key in keys.sorted() {
                let sizes: [UInt64] = [5, 3, 9, 8]
                for size in sizes { try store.save([AcknowledgementRow(device: device, key: key, size: size)]) }
                expected.append(9)
            }
        }
        try store.save([
            AcknowledgementRow(device: Self.device(1), key: TestAuthor(1).log(.zero), size: 1)
        ])
        let rows = try store.acknowledgements(zone: TestZone.id)
        try require(rows.map(\.size) == expected)
        try require(zip(rows, rows.dropFirst()).allSatisfy { ($0.device, $0.key) < ($1.device, $1.key) })
        try require(store.acknowledgements(zone: .zero).map(\.size) == [1])
    }

    func checkValues(_ store: inout some NodeTransaction) throws {
        for value in [[1], [], [2, 3], nil, nil, [4]] as [[UInt8]?] {
            try store.setValue(value, named: "x")
            try require(store.value(named: "x") == value)
        }
        try require(store.value(named: "y") == nil)
    }
}
