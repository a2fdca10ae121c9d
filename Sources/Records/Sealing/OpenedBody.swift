package import Wire

/// A record's body in clear, with its encoding.
package struct OpenedBody: Sendable {
    /// The body.
    package let body: RecordBody
    /// Its canonical encoding.
    package let bytes: [UInt8]

    /// Pairs a body with its encoding.
    /// - Parameters: as the properties of the same names.
    package init(_ body: RecordBody, bytes: [UInt8]) {
        self.body = body
        self.bytes = bytes
    }
}

/// What a replica can make of an operation's body.
enum BodyReading: Sendable {
    /// It is in clear, or was opened, and keeps the rules.
    case opened(OpenedBody)
    /// It is sealed under an epoch whose key is not here.
    case locked
    /// Its author sealed what is no body, or not one of this operation: it counts nowhere. `nil`: it does not open at all.
    case unsound(OperationRule?)
}
