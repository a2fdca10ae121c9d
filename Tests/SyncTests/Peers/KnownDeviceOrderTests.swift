import Sync
import Testing
import Wire

@Suite struct `The order of known devices` {
    @Test func `is that of their accounts, then of the devices, and has no device before itself`() {
        let places = [(Sample.account, 1), (Sample.account, 2), (Sample.foreign, 1), (Sample.foreign, 3)]
        let keys = places.map { KnownDevices.Key(Sample.device($0.1), of: $0.0) }
        for (place, left) in keys.enumerated() {
            for (other, right) in keys.enumerated() { #expect((left < right) == (place < other)) }
        }
    }
}
