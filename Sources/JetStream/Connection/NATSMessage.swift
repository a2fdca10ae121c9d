/// A message for the cluster.
struct NATSMessage: Sendable {
    /// Where it goes.
    var subject: String
    /// Its headers.
    var headers: [(name: String, value: String)] = []
    /// Its content.
    var bytes: [UInt8] = []
}
