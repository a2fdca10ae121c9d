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

/// The outcome of reading an operation's body.
enum BodyReading: Sendable {
    /// It is in clear, or was opened, and keeps the rules.
    case opened(OpenedBody)
    /// It is sealed under an epoch whose key is not here.
    case locked
    /// Its author sealed bytes that are no body, or no body of this operation: it has no effect. `nil`: it does not
    /// open at all.
    case unsound(OperationRule?)
}
