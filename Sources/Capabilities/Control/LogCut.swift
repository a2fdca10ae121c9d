import Wire

/// The effective part of one log by one rule.
enum LogCut: Hashable, Sendable {
    /// All of it.
    case none

    /// The first `size` operations, if the log's tree of that size has this root.
    case at(size: UInt64, root: Hash)

    /// Nothing.
    case zero
}

extension LogCut {
    /// Takes the cut of a log from a list of cuts; a log that is not listed is cut at zero.
    init(_ position: LogPosition?) {
        guard let position, position.size > 0 else {
            self = .zero
            return
        }
        self = .at(size: position.size, root: position.root)
    }

    /// The stricter of two; equal sizes, which only a fork gives different roots, are decided for the smaller root.
    func stricter(_ other: LogCut) -> LogCut {
        switch (self, other) {
        case (.zero, _), (_, .zero): .zero
        case (.none, let cut), (let cut, .none): cut
        case (.at(let size, let root), .at(let otherSize, let otherRoot)):
            (size, root) <= (otherSize, otherRoot) ? self : other
        }
    }

    /// At least a position; one of equal size decides which history of a forked log is effective.
    func raised(to position: LogPosition?) -> LogCut {
        guard let position, position.size > 0 else { return self }
        switch self {
        case .none: return self
        case .at(let size, _) where size > position.size: return self
        case .at, .zero: return .at(size: position.size, root: position.root)
        }
    }
}
