import Capabilities
import Sync
import Wire

extension NodeError {
    /// The error when the account's right in a zone does not suffice, or cannot be determined yet.
    /// - Returns: `nil` for an error that no request of a program leads to.
    init?(_ error: CommitError) {
        switch error {
        case .noRight: self = .noRight
        case .refused(let refusal): self.init(refusal)
        case .waiting(let reason): self.init(reason)
        case .noPairKey(let account):
            self.init(
                .accountUnpaired,
                "This device does not know from which key zones with the account \(account.shortText) are derived.",
                fix: "Let it meet a device of that account, whose daemon has to be of this version or later."
            )
        case .noKey:
            self.init(
                .zoneNoKey,
                "The zone has no key yet that exactly the devices of all its readers have.",
                fix: "Let this device meet the zone's other devices, and try again."
            )
        case .tooManyRegrants(let count):
            self.init(
                .invalidArgument,
                "\(count) rights descend from this account's; one revocation keeps at most \(Limits.regrantCountMax).",
                fix: "Grant the ones that should stay from this account first, or revoke without keeping them."
            )
        case .notOffered:
            self.init(
                .transferUnknown,
                "The zone is not offered, or not to this account.",
                fix:
                    "`kairan share ls` shows the account that a zone is offered to; ask its owner for `kairan share transfer`."
            )
        case .message(let refusal): self.init(refusal)
        case .foreignZone, .notMoved, .noRoom: return nil
        }
    }

    /// The error of a refusal by the access decision.
    init(_ refusal: AccessRefusal) {
        switch refusal {
        case .notParticipant, .rightVoid: self = .noRight
        case .unknownDevice, .removedDevice: self = PairingRefusal.removedDevice
        case .deviceRole: self = .readOnly
        case .needs(let level):
            self.init(
                .rightLevel,
                "This account's right in the zone is lower than \(level.name).",
                fix: "Ask the zone's owner for the right \(level.name), or to make this change.",
                facts: [.needed(level.name)]
            )
        case .needsDelegation:
            self.init(
                .rightNotDelegable,
                "This account may not delegate its right in the zone.",
                fix: "Ask the zone's owner to share it, or for a right that may be delegated."
            )
        case .notDescendant:
            self.init(
                .rightNotDescendant,
                "This account can only revoke rights that it has granted.",
                fix: "Ask the zone's owner to revoke it."
            )
        case .ownerOnly:
            self.init(
                .rightOwnerOnly,
                "Only the zone's owner may do this.",
                fix: "Ask the owner; `kairan zone show` names the account."
            )
        case .ownerLeaves:
            self.init(
                .rightOwnerLeaves,
                "An owner cannot leave its own zone.",
                fix: "Transfer it with `kairan share transfer`, or delete it with `kairan zone delete`."
            )
        case .pairZone:
            self.init(
                .zoneIsPair,
                "The zone belongs to two accounts: neither can share it, take it from the other, or delete it.",
                fix: "`kairan leave` leaves it for this account."
            )
        case .notYetValid(let time):
            self = .outsideTime(.rightNotYetValid, "is not valid yet", .validFrom(milliseconds: time))
        case .expired(let time): self = .outsideTime(.rightExpired, "has expired", .expiredAt(milliseconds: time))
        case .recordType, .recordName:
            self.init(
                .rightTooNarrow,
                "This account's right in the zone does not cover this.",
                fix: "Ask the zone's owner for a wider right."
            )
        }
    }

    /// The error when a right to be granted would be wider than the granter's own.
    /// - Returns: `nil` for an error that no request of a program leads to.
    init?(_ error: CapabilityError) {
        switch error {
        case .widened(let aspect):
            self.init(
                .rightWidened,
                "This account cannot grant more than it has: \(aspect.explained).",
                fix: "Share less, or ask the zone's owner to share it.",
                facts: [.aspect(aspect.rawValue)]
            )
        case .tooLong:
            self.init(
                .rightWidened,
                "The right has been delegated the maximum number of times.",
                fix: "Ask the zone's owner to share it.",
                facts: [.aspect(CapabilityError.Aspect.depth.rawValue)]
            )
        default: return nil
        }
    }

    private init(_ reason: WaitReason) {
        let missing =
            switch reason {
            case .account(let account): "the devices of the account \(account.shortText)"
            case .capability: "the right of an operation about the zone"
            }
        self.init(
            .rightWaiting,
            "This device does not know yet \(missing).",
            fix: "Let it meet the zone's other devices, and try again.",
            facts: [.reason(reason.code)]
        )
    }

    private static let noRight = NodeError(
        .rightNone,
        "This account has no right in the zone.",
        fix: "Records that are here can still be read; ask the zone's owner to share it again."
    )

    private static func outsideTime(_ code: Code, _ what: String, _ time: ErrorFact) -> NodeError {
        NodeError(
            code,
            "This account's right in the zone \(what).",
            fix: "Check this machine's clock; ask the zone's owner for another right.",
            facts: [time]
        )
    }
}

extension AccessLevel {
    /// The name of the level for people.
    package var name: String {
        switch self {
        case .relay: "relay"
        case .read: "read"
        case .append: "append"
        case .write: "write"
        case .admin: "admin"
        }
    }
}

extension CapabilityError.Aspect {
    /// For people.
    fileprivate var explained: String {
        switch self {
        case .delegation: "its right may not be delegated"
        case .depth: "its right may be delegated fewer times in a row"
        case .level: "its right is lower"
        case .types: "its right is for other record types"
        case .prefix: "its right is for other names"
        case .notBefore: "its right begins later"
        case .expiry: "its right ends earlier"
        }
    }
}
