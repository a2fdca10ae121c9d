import Sync
import Testing

@Suite struct `Jobs that wait for a transaction` {
    private struct JobError: Error {}

    private typealias Backlog = CommitBacklog<Int>

    @Test func `share the next one, in their order`() {
        var backlog = Backlog()
        for job in 0..<5 { #expect(backlog.add(job, isPatient: false) == .due) }
        #expect(backlog.next() == [0, 1, 2, 3, 4])
        #expect(backlog.next() == nil && backlog.count == 0)
    }

    @Test func `are taken up to a bound`() {
        var backlog = Backlog()
        for job in 0..<Backlog.groupCountMax + 1 { _ = backlog.add(job, isPatient: false) }
        #expect(backlog.next()?.count == Backlog.groupCountMax)
        #expect(backlog.next() == [Backlog.groupCountMax])
        #expect(backlog.next() == nil)
    }

    @Test func `are refused when too many wait`() {
        var backlog = Backlog()
        for job in 0..<Backlog.waitingCountMax { _ = backlog.add(job, isPatient: true) }
        #expect(backlog.add(0, isPatient: false) == .refused && backlog.add(0, isPatient: true) == .refused)
        #expect(backlog.count == Backlog.waitingCountMax)
    }

    @Test func `and are patient join the next one, at their places`() {
        var backlog = Backlog()
        #expect(backlog.add(0, isPatient: true) == .timed)
        #expect(backlog.add(1, isPatient: true) == .joined)
        #expect(backlog.next() == nil && backlog.count == 2 && !backlog.isDue)
        #expect(backlog.add(2, isPatient: false) == .due)
        #expect(backlog.add(3, isPatient: true) == .joined)
        #expect(backlog.next() == [0, 1, 2, 3])
    }

    @Test func `and are patient have one of their own when they have waited long enough`() {
        var backlog = Backlog()
        #expect(backlog.add(0, isPatient: true) == .timed)
        let isDue = backlog.patienceEnded()
        #expect(isDue)
        #expect(backlog.next() == [0])
        // The next one begins another time.
        #expect(backlog.add(1, isPatient: true) == .timed)
    }

    @Test func `and are patient ask for one timer at a time, even if another transaction has taken them`() {
        var backlog = Backlog()
        #expect(backlog.add(0, isPatient: true) == .timed)
        _ = backlog.add(1, isPatient: false)
        #expect(backlog.next() == [0, 1])
        #expect(backlog.add(2, isPatient: true) == .joined)
        let isDue = backlog.patienceEnded()
        #expect(isDue)
        #expect(backlog.next() == [2])
        let isDueAgain = backlog.patienceEnded()
        #expect(!isDueAgain)
    }

    @Test func `and are patient have one of their own when they fill it`() {
        var backlog = Backlog()
        for job in 0..<Backlog.groupCountMax - 1 { #expect(backlog.add(job, isPatient: true) != .due) }
        #expect(backlog.add(Backlog.groupCountMax - 1, isPatient: true) == .due)
        #expect(backlog.next()?.count == Backlog.groupCountMax)
    }

    @Test func `are all taken at the end`() {
        var backlog = Backlog()
        _ = backlog.add(0, isPatient: true)
        backlog.hurry()
        #expect(backlog.next() == [0])
        backlog.hurry()
        #expect(backlog.next() == nil)
    }

    @Test func `each have one of their own after one of them has failed, before later ones`() {
        var backlog = Backlog()
        for job in 0..<3 { _ = backlog.add(job, isPatient: false) }
        let group = backlog.next() ?? []
        _ = backlog.add(3, isPatient: false)
        let isRetried = backlog.retries(group, after: JobError())
        #expect(isRetried && backlog.count == 4)
        #expect((0..<4).map { _ in backlog.next() } == [[0], [1], [2], [3]])
        let isRetriedAlone = backlog.retries([0], after: JobError())
        #expect(!isRetriedAlone)
    }

    @Test(arguments: [StorageError.Code.diskFull, .closed, .locked, .inaccessible, .displaced, .otherFormat])
    func `have failed where smaller transactions fare no better`(code: StorageError.Code) {
        var backlog = Backlog()
        let isRetried = backlog.retries([0, 1], after: StorageError(code: code, message: "as the test wants it"))
        #expect(!isRetried && backlog.next() == nil)
    }
}
