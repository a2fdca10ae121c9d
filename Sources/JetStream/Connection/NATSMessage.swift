/// A message for the cluster.
struct NATSMessage: Sendable {
    /// The subject that it is sent to.
    var subject: String
    /// Its headers.
    var headers: [(name: String, value: String)] = []
    /// Its content.
    var bytes: [UInt8] = []
}
