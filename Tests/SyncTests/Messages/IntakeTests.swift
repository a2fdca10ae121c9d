import Sync
import Testing

@Suite struct `The intake of a transaction in parts` {
    @Test func `has more exactly if the last part has`() {
        var (whole, later) = (Inbox.Intake(), Inbox.Intake())
        later.hasMore = true
        whole.add(later)
        #expect(whole.hasMore)
        whole.add(Inbox.Intake())
        #expect(!whole.hasMore)
    }
}
