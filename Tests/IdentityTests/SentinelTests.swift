import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct SentinelTests {
    private static func sentinel(_ commitNumber: UInt64 = 1_842, machine: [UInt8] = [1, 2, 3]) -> Sentinel {
        var generator = SeededGenerator(seed: 61)
        return Sentinel(
            incarnation: Incarnation(using: &generator),
            commitNumber: commitNumber,
            machine: machine
        )
    }

    @Test(arguments: [0, 1, 1_842, UInt64.max])
    func `a sentinel is read back`(commitNumber: UInt64) throws {
        let sentinel = Self.sentinel(commitNumber)
        #expect(try Sentinel(decoding: sentinel.encoded) == sentinel)
        let bare = Self.sentinel(commitNumber, machine: [])
        #expect(try Sentinel(decoding: bare.encoded) == bare)
    }

    @Test func `the newest entry of the account log is read back, and a log without it is an older one`() throws {
        let before = try AccountFixture.newLog()
        var log = before
        let mark = try #require(Sentinel.NewestEntry(log))
        #expect(!mark.isMissing(in: log))
        _ = try log.add(AccountFixture.addition(5), by: AccountFixture.signer(0))
        let newer = try #require(Sentinel.NewestEntry(log))
        #expect(newer != mark && newer.isMissing(in: before) && !newer.isMissing(in: log) && !mark.isMissing(in: log))
        var generator = SeededGenerator(seed: 62)
        let sentinel = Sentinel(
            incarnation: Incarnation(using: &generator),
            commitNumber: 5,
            machine: [1],
            newestEntry: newer
        )
        #expect(try Sentinel(decoding: sentinel.encoded) == sentinel)
        #expect(String(decoding: sentinel.encoded, as: UTF8.self).contains("\naccount \(log.account.text) "))
        #expect(throws: SentinelError.self) { try Sentinel(decoding: sentinel.encoded.filter { $0 != 97 }) }
    }

    @Test func `a person can read it`() {
        let lines = String(decoding: Self.sentinel().encoded, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0] == "kairan-sentinel 1" && lines[2] == "commit 1842" && lines[3] == "machine 010203")
    }

    @Test func `a truncated or overwritten file is damaged`() {
        let bytes = Self.sentinel().encoded
        for count in 0..<bytes.count {
            #expect(throws: SentinelError.self, "\(count) bytes") { try Sentinel(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: SentinelError.damaged) { try Sentinel(decoding: bytes + [10]) }
        #expect(throws: SentinelError.damaged) { try Sentinel(decoding: Array(repeating: 0, count: bytes.count)) }
        #expect(throws: SentinelError.damaged) { try Sentinel(decoding: Array(repeating: 97, count: 100_000)) }
    }

    @Test func `every flipped bit is noticed`() {
        let bytes = Self.sentinel().encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(throws: SentinelError.self, "byte \(index)") { try Sentinel(decoding: damaged) }
            }
        }
    }

    @Test func `a later version is distinguished from damage`() {
        #expect(throws: SentinelError.laterVersion) { try Sentinel(decoding: Array("kairan-sentinel 2\nx\n".utf8)) }
    }
}
