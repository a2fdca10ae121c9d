/// Why a call of ``DaemonClient`` failed.
public struct KairanError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Kind: Sendable, Hashable {
        /// The daemon answered with a problem document.
        case refused
        /// The daemon does not answer on its socket.
        case unreachable
        /// The connection broke before the answer was complete: whether the request was done is not known.
        case interrupted
        /// This version of the library does not understand the answer.
        case unexpectedAnswer
        /// A value does not fit into a record, or a record not the type that it is read as.
        case misfit
        /// A file on this machine cannot be read or written.
        case file
    }

    /// The kind of error.
    public var kind: Kind
    /// The daemon's problem document; for the other kinds, a problem made by the library.
    public var problem: Problem
    /// The problem document as it was received, with all its members; empty when there was none.
    public var document: [UInt8]
    /// The part of a value that does not fit, as `tags[2]`; only for ``Kind/misfit``.
    public internal(set) var path: String?

    /// The stable code, such as `record.version_mismatch`; `docs/api/errors.md` lists all.
    public var code: String { problem.code }
    /// Whether the same call may succeed later.
    public var isRetryable: Bool { problem.isRetryable }
    /// Code, detail and fix in one line.
    public var description: String { "\(problem.code): \(problem.detail) \(problem.fix)" }

    /// Returns a further member of the problem document that is text, such as `expected`; ``Problem`` has those that
    /// programs decide by.
    public func detail(_ name: String) -> String? {
        // A document that cannot be read has no members; the library's own words are in `problem`.
        (try? JSONParser.parse(document))?[name]?.text
    }

    /// The reason why a zone is not available to this account any more, if the error reports that.
    package var departure: ZoneDeparture.Reason? {
        switch code {
        case "zone.deleted": detail("kind") ?? "deleted" == "deleted" ? .deleted : .left
        case "zone.unknown": .left
        default: nil
        }
    }

    /// Makes an error of any kind.
    package init(_ kind: Kind, problem: Problem) {
        self.kind = kind
        self.problem = problem
        self.document = []
    }

    init(refused problem: Problem, document: [UInt8]) {
        self.kind = .refused
        self.problem = problem
        self.document = document
    }

    /// A failure on this side of the socket, in the same form as the daemon's own.
    init(_ kind: Kind, code: String, title: String, detail: String, fix: String) {
        self.kind = kind
        self.problem = Problem(
            type: "https://kairan.invalid/problems/\(code)",
            title: title,
            status: 0,
            code: code,
            detail: detail,
            fix: fix,
            isRetryable: kind == .unreachable || kind == .interrupted
        )
        self.document = []
    }

    static func unreachable(socketPath: String, reason: String) -> KairanError {
        KairanError(
            .unreachable,
            code: "daemon.unreachable",
            title: "The daemon cannot be reached",
            detail: "No daemon answers on \(socketPath) (\(reason)).",
            fix: "Check that kairand runs (systemctl status kairand) and that you may use the socket."
        )
    }

    static func interrupted(reason: String) -> KairanError {
        KairanError(
            .interrupted,
            code: "daemon.interrupted",
            title: "The connection broke",
            detail: "The connection to the daemon broke before the answer was complete (\(reason)).",
            fix: "Check the current state before you repeat a change: it may have been made."
        )
    }

    static func unexpectedAnswer(_ reason: String) -> KairanError {
        KairanError(
            .unexpectedAnswer,
            code: "daemon.unexpected_answer",
            title: "The answer was not understood",
            detail: "The daemon's answer was not understood: \(reason).",
            fix: "Use a client and a daemon of the same version."
        )
    }
}
