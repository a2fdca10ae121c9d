import NIOCore
import Session
import Synchronization

/// The book of connections as all event loops share it, and the way to close one that has to yield its place.
final class DoorKeeper: Sendable {
    typealias Book = DoorBook<AddressPrefix>

    private struct State {
        var book: Book
        /// The closures that close connections which are in the book and have proved nothing.
        var hangUps: [Book.Pass: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// An empty keeper.
    init(_ limits: DoorLimits) {
        state = Mutex(State(book: DoorBook(limits: limits)))
    }

    /// A connection came in.
    /// - Parameters:
    ///   - address: The address of the other side.
    ///   - now: The time.
    ///   - hangUp: Closes the connection without a word, from any thread.
    /// - Returns: Its pass, or why it is closed without a word.
    func connected(
        from address: SocketAddress?,
        at now: NIODeadline,
        hangUp: @escaping @Sendable () -> Void
    ) -> Result<DoorPass, DoorClosed> {
        guard let prefix = address.flatMap(AddressPrefix.init) else { return .failure(DoorClosed(refusal: .full)) }
        let (result, yielding) = state.withLock { state -> (Result<DoorPass, DoorClosed>, (@Sendable () -> Void)?) in
            switch state.book.connected(from: prefix, now: now.milliseconds) {
            case .taken(let pass, let terms, let other):
                state.hangUps[pass] = hangUp
                let yielding = other.flatMap { state.hangUps.removeValue(forKey: $0) }
                return (.success(DoorPass(pass, terms, keeper: self)), yielding)
            case .refused(let refusal):
                return (.failure(DoorClosed(refusal: refusal)), nil)
            }
        }
        yielding?()
        return result
    }

    /// This side made a connection.
    func dialled(under room: DoorRoom, at now: NIODeadline) -> DoorPass {
        state.withLock { state in
            let (pass, terms) = state.book.dialled(under: room, now: now.milliseconds)
            return DoorPass(pass, terms, keeper: self)
        }
    }

    fileprivate func knocked(_ pass: Book.Pass, at room: DoorRoom, _ now: NIODeadline) -> Book.Terms? {
        move { $0.knocked(pass, at: room, now: now.milliseconds) }
    }

    fileprivate func proved(_ pass: Book.Pass, _ now: NIODeadline) -> Book.Terms? {
        state.withLock { state in
            state.hangUps[pass] = nil
            return state.book.proved(pass, now: now.milliseconds)
        }
    }

    fileprivate func identified(_ pass: Book.Pass, in room: DoorRoom, _ now: NIODeadline) -> Book.Terms? {
        move { $0.identified(pass, in: room, now: now.milliseconds) }
    }

    fileprivate func ended(_ pass: Book.Pass) {
        state.withLock { state in
            state.hangUps[pass] = nil
            state.book.ended(pass)
        }
    }

    private func move(_ body: (inout Book) -> Book.Move) -> Book.Terms? {
        let (terms, yielding) = state.withLock { state -> (Book.Terms?, (@Sendable () -> Void)?) in
            switch body(&state.book) {
            case .moved(let terms, let other): (terms, other.flatMap { state.hangUps.removeValue(forKey: $0) })
            case .refused: (nil, nil)
            }
        }
        yielding?()
        return terms
    }

    /// Returns the number of incoming connections in a room.
    func count(in room: DoorRoom) -> Int { state.withLock { $0.book.count(in: room) } }
}

/// Why a connection is closed without a word.
struct DoorClosed: Error {
    let refusal: DoorRefusal
}

/// The entry of one connection in the book; it leaves the book when this goes away.
final class DoorPass: Sendable {
    /// The limits of the connection at first.
    let terms: DoorKeeper.Book.Terms
    private let pass: DoorKeeper.Book.Pass
    private let keeper: DoorKeeper

    fileprivate init(_ pass: DoorKeeper.Book.Pass, _ terms: DoorKeeper.Book.Terms, keeper: DoorKeeper) {
        self.pass = pass
        self.terms = terms
        self.keeper = keeper
    }

    deinit {
        keeper.ended(pass)
    }

    /// The preamble fits a secret.
    /// - Returns: The terms from now on; `nil` = hang up.
    func knocked(at room: DoorRoom, _ now: NIODeadline) -> DoorKeeper.Book.Terms? {
        keeper.knocked(pass, at: room, now)
    }

    /// The handshake is finished.
    /// - Returns: The terms from now on; `nil` = hang up.
    func proved(_ now: NIODeadline) -> DoorKeeper.Book.Terms? { keeper.proved(pass, now) }

    /// Moves the connection once the identity of the other side is decided.
    /// - Returns: The terms from now on; `nil` = there is no place.
    func identified(in room: DoorRoom, _ now: NIODeadline) -> DoorKeeper.Book.Terms? {
        keeper.identified(pass, in: room, now)
    }
}

extension NIODeadline {
    /// The time in milliseconds, as used by the cores.
    var milliseconds: UInt64 { uptimeNanoseconds / 1_000_000 }

    /// A time of the cores.
    init(milliseconds: UInt64) {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        self = .uptimeNanoseconds(overflow ? .max : nanoseconds)
    }
}
