/// A body could not be sent because its pieces ended with an error.
///
/// It separates an error of the source of the pieces from errors of the connection.
package struct BodyFailure: Error {
    /// The error as it came.
    package let cause: any Error

    /// Keeps an error.
    package init(cause: any Error) { self.cause = cause }
}

extension BodyFailure: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    package var description: String { "the body of the request could not be made: \(cause)" }
}
