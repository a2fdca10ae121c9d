import Sodium
import Testing
import Wire

@testable import Identity

@Suite struct `Retired keys of an account's devices` {
    private typealias Retirement = FleetKey.Retirement

    private static let bytes = [UInt8](repeating: 3, count: 32)

    private func key(_ retirement: FleetKey.Retirement?) throws -> FleetKey {
        try FleetKey(entry: .zero, bytes: Self.bytes, retirement: retirement)
    }

    @Test func `come behind one that is not retired, the last one that was retired first`() throws {
        let keys = [
            try key(Retirement(noted: 5)), try key(nil), try key(Retirement(days: 1, noted: 7)),
            try key(Retirement(noted: 9)),
        ]
        let expected: [FleetKey.Retirement?] = [
            nil, Retirement(noted: 9), Retirement(noted: 5), Retirement(days: 1, noted: 7),
        ]
        #expect(keys.lastRetiredFirst.map(\.retirement) == expected)
        #expect(keys.reversed().lastRetiredFirst.map(\.retirement) == expected)
    }

    @Test func `stay retired in a file and in a welcome, since the very moment`() throws {
        // A clock that was never set says the first moment of 1970; zero stands for a key that is not retired.
        #expect(try key(Retirement(noted: 0)).export().retired == 1)
        let secret = FleetSecret(entry: .zero, key: Self.bytes, retired: 1, days: 3)
        #expect(try FleetKey(secret).export() == secret)
        #expect(try key(nil).export().retired == 0)
    }
}
