/// A message that came from the cluster.
struct NATSReply: Sendable {
    /// The index of the request that it answers.
    var index = 0
    /// The status that it has instead of content; `nil` for none.
    var status: Int?
    /// The words beside the status.
    var statusText: String?
    /// On which subject it was stored; `nil` when it is no stored message.
    var storedSubject: String?
    /// The place in the stream where the message is stored, or the place that an end of a list names; 0 for none.
    var sequence: UInt64 = 0
    /// The place up to which the answering server knew the stream, if an end of a list states it.
    var upTo: UInt64?
    /// The number of further messages, if an end of a list states it.
    var pendingCount: UInt64?
    /// The content.
    var bytes: [UInt8] = []
}
