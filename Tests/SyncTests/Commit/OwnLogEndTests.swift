import Records
import Testing
import Wire

@testable import Sync

/// The logs to which their author appends no unrequested statement: the store would refuse it, and with it the
/// transaction that makes it.
@Suite struct `A store's own log` {
    private let whole = LogRow(
        key: Sample.log(1, zone: 0, .control),
        device: Sample.device(1),
        incarnation: Sample.incarnation,
        right: .zero,
        size: 3,
        appliedSize: 3
    )

    /// The log after a change.
    private func log(_ change: (inout LogRow) -> Void) -> LogRow {
        var row = whole
        change(&row)
        return row
    }

    @Test func `continues while all of it is applied and nothing ends it`() {
        #expect(whole.mayContinue)
    }

    @Test func `does not continue once it has two histories, or an end`() {
        let proof = ForkProof(Sample.signedHead(1, size: 3), Sample.signedHead(1, size: 4))
        #expect(!log { $0.forkProof = proof }.mayContinue)
        #expect(!log { $0.cut = LogCut(size: 2, root: .zero) }.mayContinue)
        #expect(!log { $0.cut = .zero }.mayContinue)
    }

    @Test func `does not continue where its author's right has ended or was never effective`() {
        #expect(!log { $0.role = .ended(.owner, at: 2) }.mayContinue)
        #expect(!log { $0.role = .unknown }.mayContinue)
    }

    @Test func `does not continue while an operation in it waits for others`() {
        #expect(!log { $0.appliedSize = 2 }.mayContinue)
    }
}
