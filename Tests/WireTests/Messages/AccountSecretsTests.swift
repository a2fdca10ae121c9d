import Testing
import Wire

@Suite struct `Secrets of an account` {
    private static let founding = [UInt8](repeating: 1, count: 32)

    /// An item as it stands in the encoding.
    private static func item(_ entry: UInt8, key: UInt8 = 8, retired: UInt8 = 5, days: UInt8 = 3) -> [UInt8] {
        [UInt8](repeating: entry, count: 32) + [UInt8](repeating: key, count: 32) + [retired, days]
    }

    private static func secrets(_ items: [[UInt8]]) -> [UInt8] {
        founding + founding + founding + [0, UInt8(items.count)] + items.flatMap { $0 }
    }

    @Test(arguments: [
        [], [item(7)], [item(7, retired: 0, days: 0)], [item(7), item(6)], [item(0, key: 1), item(7)],
        [item(0, key: 1, days: 0)],
    ])
    func `are read where each fleet key stands there once`(items: [[UInt8]]) throws {
        let read = try AccountSecrets(decoding: Self.secrets(items))
        #expect(read.encoded == Self.secrets(items))
    }

    @Test(arguments: [
        [item(7), item(7, key: 9)],
        [item(7), item(0, key: 1)],
        [item(0, key: 2)],
        [item(0, key: 1, retired: 0, days: 0)],
        [item(0, key: 1), item(0, key: 1)],
    ])
    func `are refused when two items contradict each other about one fleet key`(items: [[UInt8]]) {
        #expect(throws: WireError.invalidValue("fleetSecrets")) { try AccountSecrets(decoding: Self.secrets(items)) }
    }

    @Test func `count no days of the present fleet key`() {
        #expect(throws: WireError.invalidValue("days")) { try FleetSecret(decoding: Self.item(7, retired: 0, days: 1)) }
        #expect(throws: WireError.invalidValue("days")) {
            try AccountSecrets(decoding: Self.secrets([Self.item(7, retired: 0, days: 1)]))
        }
    }
}
