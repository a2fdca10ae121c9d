import Capabilities
import Records
package import Wire

/// Something from a peer that no honest program sends: it is refused, or kept where it has no effect.
package struct Anomaly: Sendable, Equatable {
    /// The kinds; the raw values are those of the interface.
    package enum Kind: String, Sendable, CaseIterable {
        /// A session, or a channel on its way to one, broke the protocol, and was ended.
        case violation
        /// A log breaks a rule where its author signed; this part of it is not taken.
        case brokenLog = "broken_log"
        /// A device signed two histories of one log: equal numbers with unequal operations.
        case forkedLog = "forked_log"
        /// A control operation grants a capability that is invalid, or wider than its author may delegate.
        case refusedCapability = "refused_capability"
        /// An operation lies outside of the right that its log is written under.
        case outOfRight = "out_of_right"
        /// An operation breaks the schema that its author had seen.
        case outOfSchema = "out_of_schema"
        /// An operation is sealed under a key of its zone and holds no record.
        case unsound
    }

    /// The kind.
    package var kind: Kind
    /// The device that signed the faulty operations, for kinds that are about logs.
    package var author: DeviceID?
    /// The device that sent it, if it is known; it may be honest, and pass on operations of another one.
    package var peer: DeviceID?
    /// The account of the device that sent it.
    package var account: AccountID?
    /// The zone, if it is about one.
    package var zone: ZoneID?
    /// The number of times it was found.
    package var count: UInt64
    /// The reason, for the log of this machine alone.
    package var detail: String

    /// Describes one.
    /// - Parameters: as the properties of the same names.
    package init(
        _ kind: Kind,
        author: DeviceID? = nil,
        peer: DeviceID? = nil,
        account: AccountID? = nil,
        zone: ZoneID? = nil,
        count: UInt64 = 1,
        detail: String
    ) {
        self.kind = kind
        self.author = author
        self.peer = peer
        self.account = account
        self.zone = zone
        self.count = count
        self.detail = detail
    }
}

extension Anomaly.Kind {
    /// Makes the kind of a void control operation, or of a void capability in it; `nil` where an honest author can
    /// cause it.
    ///
    /// Only reasons that follow from the operation together with its author's right have a kind: others depend on
    /// what else is known, and pass.
    init?(_ reason: VoidReason) {
        switch reason {
        case .badSignature, .wrongResource, .wrongParent, .wrongIssuer, .widened: self = .refusedCapability
        case .ownerOnly, .needs, .deviceRole: self = .outOfRight
        case .notOfAccount, .aboveCut, .rightVoid, .ownerLeaves, .lostTransfer, .alreadyOwner, .noConsent, .pairZone,
            .notFinal, .unknownSigner, .notDescendant:
            return nil
        }
    }

    /// The kind of an operation on a record that has no effect.
    init(_ reason: AppliedOperations.Void.Reason) {
        self =
            switch reason {
            case .outOfRight: .outOfRight
            case .outOfSchema: .outOfSchema
            case .unsound: .unsound
            }
    }
}
