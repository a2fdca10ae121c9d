/// A message that came from the cluster.
struct NATSReply: Sendable {
    /// Which of several things asked it answers.
    var index = 0
    /// The status that it has instead of content; `nil` for none.
    var status: Int?
    /// The words beside the status.
    var statusText: String?
    /// On which subject it was stored; `nil` when it is no stored message.
    var storedSubject: String?
    /// At which place of the stream it is stored, or the place that an end of a list names; 0 for none.
    var sequence: UInt64 = 0
    /// Up to which place the answering server knew the stream, where an end of a list says it.
    var upTo: UInt64?
    /// How many more there are, where an end of a list says it.
    var pendingCount: UInt64?
    /// The content.
    var bytes: [UInt8] = []
}
