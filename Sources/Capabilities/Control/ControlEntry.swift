package import Wire

/// One operation of a zone's control lane as the resolution sees it: its author, its body, its right and the author's
/// view.
///
/// There is no clock in it. Made from operations whose head's signature and place in the log's tree were checked.
package struct ControlEntry: Hashable, Sendable {
    /// The author's log and the place in it.
    package let place: Dot
    /// The device that signed the head; the actor is one of its incarnations.
    package let device: DeviceID
    /// The right that the log is written under, for all its life.
    ///
    /// Zero for the account that owned the zone at its genesis, a transfer's hash for the account that the transfer made
    /// the owner, else a capability's id. The account that the device speaks for follows from it.
    package let right: Hash
    /// The author's view of other control logs.
    package let seen: VersionVector
    /// Names the operation.
    package let hash: Hash
    /// The body of the operation.
    package let body: ControlBody
    /// The capabilities in the body, in its order.
    package let carried: [CarriedCapability]
    /// The consent in the body, of a transfer or an answer to an offer, if its signature is valid.
    let consent: TransferConsent?

    /// Describes an operation.
    /// - Parameters:
    ///   - place: The author's log and the place in it.
    ///   - device: The device that signed the head.
    ///   - right: The capability that the head names.
    ///   - seen: The author's view, as the head states it.
    ///   - hash: The operation's hash.
    ///   - body: The body of the operation.
    ///   - verify: Checks the signature of a capability, or remembers that it did; nil for one that is not valid.
    package init(
        place: Dot,
        device: DeviceID,
        right: Hash,
        seen: VersionVector,
        hash: Hash,
        body: ControlBody,
        verify: (SignedCapability) -> VerifiedCapability?
    ) {
        self.init(
            place: place,
            device: device,
            right: right,
            seen: seen,
            hash: hash,
            body: body,
            carried: body.capabilities.map { CarriedCapability(id: $0.id, verified: verify($0)) }
        )
    }

    init(
        place: Dot,
        device: DeviceID,
        right: Hash,
        seen: VersionVector,
        hash: Hash,
        body: ControlBody,
        carried: [CarriedCapability]
    ) {
        self.place = place
        self.device = device
        self.right = right
        self.seen = seen
        self.hash = hash
        self.body = body
        self.carried = carried
        consent = body.consent.flatMap { $0.isSigned ? $0.consent : nil }
    }

    /// The lane's log that it is in.
    package var log: ActorLane { ActorLane(actor: place.actor, lane: .control) }

    /// The positions that the author can know of: of data logs all, of its own control log those below this operation, of
    /// other control logs those that it had seen.
    /// - Complexity: O(positions · log logs).
    func inView(_ positions: [LogPosition]) -> [LogPosition] {
        positions.filter { position in
            position.lane == .data || position.size == 0
                || hasSeen(Dot(actor: position.actor, counter: position.size))
        }
    }

    /// Whether the author had seen a place: its own earlier ones, and those that its head names.
    func hasSeen(_ dot: Dot) -> Bool {
        dot.actor == place.actor ? dot.counter < place.counter : seen.covers(dot)
    }
}

/// A capability inside a control operation.
package struct CarriedCapability: Hashable, Sendable {
    /// The operation's id.
    package let id: Hash
    /// The capability, if its signature is valid.
    package let verified: VerifiedCapability?
}

extension ControlBody {
    /// The capabilities that this grants or grants again.
    package var capabilities: [SignedCapability] {
        switch self {
        case .grant(let grant): [grant.capability]
        case .revoke(let revocation): revocation.regrants
        case .transfer(let transfer): transfer.regrants
        case .genesis, .checkpoint, .zoneDeletion, .leave, .raiseCut, .publicAccess, .schema, .epoch, .delivery,
            .epochAgain, .deviceCuts, .keyRequest, .transferOffer, .transferAnswer, .unknown:
            []
        }
    }

    /// The consent to own the zone that this carries.
    fileprivate var consent: SignedTransferConsent? {
        switch self {
        case .transfer(let transfer): transfer.consent
        case .transferAnswer(.accepted(let consent)): consent
        default: nil
        }
    }
}
