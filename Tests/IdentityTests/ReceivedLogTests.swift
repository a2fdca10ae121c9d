import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct `Account logs of others` {
    private func log() throws -> AccountLog {
        var log = try AccountFixture.newLog()
        for index in 1...2 {
            let entry = try AccountFixture.forge(
                AccountFixture.addition(index),
                in: log,
                parents: log.heads,
                signer: AccountFixture.signer(0)
            )
            try log.insert(entry)
        }
        return log
    }

    @Test func `a whole log is accepted unchanged`() throws {
        let log = try log()
        let received = try AccountLog(of: log.account, entries: log.entries)
        #expect(received.state == log.state && received.heads == log.heads && log.count == 3)
        let older = try AccountLog(of: log.account, entries: Array(log.entries.dropLast()))
        #expect(older.count == 2, "a part of it is a log, of an earlier day")
    }

    @Test func `the log of another account, none, one with a hole and one that was altered are refused`() throws {
        let log = try log()
        #expect(throws: AccountError.otherAccount) { try AccountLog(of: .zero, entries: log.entries) }
        #expect(throws: AccountError.notGenesis) { try AccountLog(of: log.account, entries: []) }
        var entries = log.entries
        let second = entries.remove(at: 1)
        #expect(throws: AccountError.self) { try AccountLog(of: log.account, entries: entries) }
        #expect(throws: AccountError.notGenesis) { try AccountLog(of: log.account, entries: [second]) }
        var altered = log.entries
        altered[2][altered[2].count - 1] ^= 1
        #expect(throws: AccountError.badSignature) { try AccountLog(of: log.account, entries: altered) }
        let other = try AccountFixture.newLog(seed: 2).entries
        #expect(throws: AccountError.self) { try AccountLog(of: log.account, entries: log.entries + other) }
    }
}
