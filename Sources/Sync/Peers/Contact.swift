import Wire

/// What is known of another account, as far as sessions need it.
struct Contact: Sendable, Equatable {
    /// The heads of its log, as we hold it.
    var heads: [Hash]
    /// What its devices are to it.
    var standings: [DeviceID: Standing]
}
