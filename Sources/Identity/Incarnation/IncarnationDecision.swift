package import Wire

/// The decision of a device at start about the store that it finds: continue in the same life, begin a new one, or
/// recover.
///
/// An operation's number must never be used twice for different contents. Numbers continue only if nothing indicates
/// that the store is not exactly the one that this device left behind; every doubt costs one new incarnation, which
/// is cheap.
///
/// | keys | store | sentinel | decision |
/// |---|---|---|---|
/// | none | none | any | first start |
/// | any | cannot be read | any | recover |
/// | yes | none | any | recover |
/// | none | there | any | renew: the keys are missing |
/// | yes | there | none or damaged | renew |
/// | yes | there | of another incarnation, or of another machine | renew |
/// | yes | there | ahead of the store | renew |
/// | yes | there | at or behind the store | continue |
package enum IncarnationDecision: Hashable, Sendable {
    /// Continue counting.
    case `continue`

    /// Seal the present incarnation and begin a new one. Nothing is lost: the contents of the store stay valid.
    case renew(Reason)

    /// First start: make keys, store and account.
    case firstStart

    /// There was a store. Assert nothing, fetch from the other devices, and go on under a new incarnation. An empty
    /// store in its place would look like one in which everything was deleted.
    case recovering(StoreLoss)

    /// Why an incarnation ends.
    package enum Reason: Hashable, Sendable {
        /// The device has no keys, so it is a new device with another device's store.
        case keysMissing
        /// There is no sentinel: the store may come from a backup.
        case sentinelMissing
        /// The sentinel cannot be read.
        case sentinelDamaged
        /// The sentinel knows commits that the store does not: the store was rolled back.
        case sentinelAhead(sentinel: UInt64, store: UInt64)
        /// The sentinel is from another life of the store: the store was rolled back beyond a renewal.
        case otherIncarnation
        /// The sentinel is from another computer: the disk was moved or copied, and the other may still run.
        case otherMachine
        /// A peer proves with a signed head that this actor wrote more operations than the store holds.
        case behindPeer(proven: UInt64, held: UInt64)
        /// Two signed heads of this actor's log contradict each other: the device lives twice.
        case fork
    }

    /// The way in which a store was lost.
    package enum StoreLoss: Hashable, Sendable {
        /// The files are gone.
        case missing
        /// The files are there and cannot be opened.
        case unreadable
    }

    /// The store as it was found.
    package enum StoreState: Hashable, Sendable {
        /// No files.
        case missing
        /// Files that cannot be opened.
        case unreadable
        /// A store that states its incarnation and commit number.
        case present(incarnation: Incarnation, commitNumber: UInt64)
    }

    /// The sentinel as it was found.
    package enum SentinelState: Hashable, Sendable {
        /// No file.
        case missing
        /// A file that is no sentinel.
        case damaged
        /// A sentinel.
        case present(Sentinel)

        /// Reads the sentinel that was found.
        /// - Parameter bytes: The file's contents, nil if there is none.
        package init(bytes: [UInt8]?) {
            guard let bytes else {
                self = .missing
                return
            }
            do {
                self = .present(try Sentinel(decoding: bytes))
            } catch {
                // A sentinel of a later version is as good as none: its numbers cannot be trusted to mean ours.
                self = .damaged
            }
        }
    }

    /// Decides how a device starts.
    /// - Parameters:
    ///   - hasKeys: Whether the device's keys were found.
    ///   - store: The store as it was found.
    ///   - sentinel: The sentinel as it was found.
    ///   - machine: Names this computer, as ``Sentinel/machine``.
    /// - Returns: The decision.
    package static func decide(
        hasKeys: Bool,
        store: StoreState,
        sentinel: SentinelState,
        machine: [UInt8]
    ) -> IncarnationDecision {
        switch store {
        case .missing:
            return hasKeys ? .recovering(.missing) : .firstStart
        case .unreadable:
            return .recovering(.unreadable)
        case .present(let incarnation, let commitNumber):
            guard hasKeys else { return .renew(.keysMissing) }
            switch sentinel {
            case .missing:
                return .renew(.sentinelMissing)
            case .damaged:
                return .renew(.sentinelDamaged)
            case .present(let found):
                guard found.machine == machine else { return .renew(.otherMachine) }
                guard found.incarnation == incarnation else { return .renew(.otherIncarnation) }
                guard found.commitNumber <= commitNumber else {
                    return .renew(.sentinelAhead(sentinel: found.commitNumber, store: commitNumber))
                }
                return .continue
            }
        }
    }

    /// Decides when a peer returns a head of one of this actor's logs.
    ///
    /// The sentinel may be lost together with the store; the logs on other devices cannot.
    /// - Parameters:
    ///   - size: The size of the log in the head. The caller verifies that this device signed it.
    ///   - held: The size of the log in the store.
    /// - Returns: ``continue`` or a renewal.
    package static func afterPeerHead(size: UInt64, held: UInt64) -> IncarnationDecision {
        size > held ? .renew(.behindPeer(proven: size, held: held)) : .continue
    }
}
