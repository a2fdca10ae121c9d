import Sync
import Testing

@Suite struct `Jobs of a transaction that failed` {
    private struct JobError: Error {}

    @Test func `make transactions due until each of them has had one of its own`() {
        var backlog = CommitBacklog<Int>()
        for job in 0..<2 { _ = backlog.add(job, isPatient: false) }
        let group = backlog.next() ?? []
        #expect(group == [0, 1] && !backlog.isDue)
        let isRetried = backlog.retries(group, after: JobError())
        #expect(isRetried && backlog.isDue)
        #expect(backlog.next() == [0] && backlog.isDue)
        #expect(backlog.next() == [1] && !backlog.isDue)
    }
}
