import Wire

/// The knowledge of another account that sessions need.
struct Contact: Sendable, Equatable {
    /// The heads of its log, as we hold it.
    var heads: [Hash]
    /// The standings of its devices.
    var standings: [DeviceID: Standing]
}
