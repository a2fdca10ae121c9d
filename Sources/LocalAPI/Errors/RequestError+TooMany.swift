import Node

extension RequestError {
    /// The error for a caller that exceeds its request rate.
    static func tooMany(waitNanoseconds: UInt64) -> RequestError {
        // Rounded up, so that a caller that waits this long is not too early.
        let milliseconds = (waitNanoseconds + 999_999) / 1_000_000
        return RequestError(
            .tooMany,
            "The application has made more requests than allowed.",
            fix: "Wait and try again; send many records with one batch or import.",
            facts: [.retryAfter(milliseconds: milliseconds)]
        )
    }
}
