import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The addresses of a candidate` {
    private func addresses(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "10.0.0.\($0)" } }

    @Test func `are the eight newest ones`() {
        var directory = PeerDirectory<String>(localDevice: Sample.device(1))
        for address in addresses(1...8) { directory.sighted(instance: "a", address: address) }
        #expect(directory.searchAddresses == Array(addresses(1...8).reversed()))
        directory.sighted(instance: "a", address: "10.0.0.9")
        #expect(directory.searchAddresses == Array(addresses(2...9).reversed()))
    }

    @Test func `at which a device was met are the first eight`() {
        var directory = PeerDirectory<String>(localDevice: Sample.device(1))
        directory.remember(Sample.device(2), addresses: addresses(1...9))
        #expect(directory.addresses(of: Sample.device(2)).map(\.address) == addresses(1...8))
    }

    @Test func `of a device with which nothing is shared are tried after minutes, or once the account has changed`() {
        var directory = PeerDirectory<String>(localDevice: Sample.device(1))
        var random = SeededGenerator(seed: 1)
        directory.remember(Sample.device(2), addresses: ["10.0.0.2"])
        directory.remember(Sample.device(3), addresses: ["10.0.0.3"])
        directory.refused(device: Sample.device(2), at: 1_000, random: &random)
        let others = directory.due(at: 1_000) { 1 }
        #expect(others.map(\.address) == ["10.0.0.3"])
        #expect(directory.nextDue.map { $0 >= 1_000 + Backoff.refusalMilliseconds / 2 } == true)
        directory.forgetRefusals()
        let again = directory.due(at: 1_000) { 2 }
        #expect(again.map(\.address) == ["10.0.0.2"])
    }
}
