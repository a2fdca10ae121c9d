package import Node

/// Why a request was refused before the node saw it.
package struct RequestError: Error, Sendable, Equatable {
    /// The stable codes; the raw value is part of the interface.
    package enum Code: String, Sendable, CaseIterable {
        /// No route has this path.
        case pathUnknown = "request.path_unknown"
        /// The path exists, but not with this method.
        case methodNotAllowed = "request.method_not_allowed"
        /// The body, or a line of it, is not a JSON text as it should be.
        case malformedJSON = "request.malformed_json"
        /// The body, or a line of it, is longer than allowed.
        case tooLarge = "request.too_large"
        /// The body did not come in within its time.
        case tooSlow = "request.too_slow"
        /// The body ended before it was complete.
        case cutShort = "request.cut_short"
        /// There are no bytes in the range that was asked for.
        case rangeUnsatisfiable = "request.range_unsatisfiable"
        /// The request looks like one that a web page made.
        case fromBrowser = "request.from_browser"
        /// The application asks more often than it may.
        case tooMany = "request.too_many"
        /// No application may do this.
        case adminOnly = "access.admin_only"
        /// The application may only read.
        case readOnly = "access.read_only"
        /// The container is not the application's.
        case containerForeign = "access.container"
        /// The application must present a token.
        case tokenRequired = "access.token_required"
        /// The token belongs to no application of the caller's user.
        case tokenUnknown = "access.token_unknown"
    }

    /// The kind of error.
    package var code: Code
    /// The details of this occurrence.
    package var message: String
    /// The remedy.
    package var fix: String
    /// Facts for programs.
    package var facts: [ErrorFact]

    /// Makes an error.
    package init(_ code: Code, _ message: String, fix: String, facts: [ErrorFact] = []) {
        self.code = code
        self.message = message
        self.fix = fix
        self.facts = facts
    }

    static func tooSlow(_ patience: Duration) -> RequestError {
        RequestError(
            .tooSlow,
            "The body was not complete within \(patience.components.seconds) seconds. Nothing was done.",
            fix: "Send it again without interruption; for records that arrive one by one use import, which waits."
        )
    }

    static func stalled(_ patience: Duration) -> RequestError {
        RequestError(
            .tooSlow,
            "No part of the body arrived for \(patience.components.seconds) seconds. Nothing was kept.",
            fix: "Send it again, without long pauses."
        )
    }

    static let cutShort = RequestError(
        .cutShort,
        "The body ended before it was complete. Nothing was kept.",
        fix: "Send it again in full, up to Content-Length or the last chunk."
    )

    static func rangeUnsatisfiable(size: UInt64) -> RequestError {
        RequestError(
            .rangeUnsatisfiable,
            "There are \(size) bytes, and none of them is in the requested range.",
            fix: "Ask for bytes below `size`, or without a range.",
            facts: [.size(size)]
        )
    }

    static func tooLarge(byteCountMax: Int) -> RequestError {
        RequestError(
            .tooLarge,
            "The body has more than \(byteCountMax) bytes.",
            fix: "Send less at once; for many records use import, which has no limit.",
            facts: [.limit(byteCountMax)]
        )
    }

    /// A line of an import is longer than a record can be.
    static func lineTooLarge(byteCountMax: Int, number: Int) -> RequestError {
        RequestError(
            .tooLarge,
            "Line \(number) has more than \(byteCountMax) bytes.",
            fix: "Write one record in each line, and end each line with a line feed.",
            facts: [.limit(byteCountMax)]
        )
    }
}

extension RequestError: CustomStringConvertible {
    /// Code, message and fix in one line.
    package var description: String { "\(code.rawValue): \(message) \(fix)" }
}
