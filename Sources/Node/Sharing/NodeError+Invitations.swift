import Identity
import Records
import Sync
import Wire

extension NodeError {
    /// The error for a text that is no link.
    init(_ error: InviteLinkError) {
        self.init(
            .inviteMalformed,
            "This is not an invitation: \(error).",
            fix: "Copy the whole link again, or ask for another one."
        )
    }

    /// The error for a refusal, with its remedy.
    init(_ code: JoinRefusalCode) {
        switch code {
        case .spent:
            self.init(.inviteSpent, "The invitation was used up.", fix: "Ask the inviting person for another one.")
        case .expired:
            self.init(.inviteExpired, "The invitation has expired or was withdrawn.", fix: "Ask for another one.")
        case .refused:
            self.init(.inviteRefused, "The inviting side has denied the request.", fix: "Ask the inviting person.")
        case .ownAccount:
            self.init(
                .inviteOwnAccount,
                "The invitation is from this device's own account.",
                fix: "Open it on a device of another account; this account's devices have the zone already."
            )
        case .zoneGone:
            self.init(.inviteZoneGone, "The zone was deleted.", fix: "Ask the inviting person what to use instead.")
        case .badAccount:
            self.init(
                .inviteBadAccount,
                "The inviting side did not accept this account's log.",
                fix: "Open the invitation on a device of the account with the role full (`kairan device ls`)."
            )
        case .noRight:
            self.init(
                .inviteNoRight,
                "The inviting account may no longer delegate this right.",
                fix: "Ask the owner of the zone for an invitation."
            )
        case .busy:
            self.init(.busy, "The inviting side is overloaded.", fix: "The daemon tries again.")
        }
    }
}

extension NodeError {
    /// The error of a failed operation on invitations, requests or blocks.
    /// - Returns: `nil` for an error that no request of a program leads to.
    init?(_ error: InviteError) {
        switch error {
        case .tooManyOpen(let limit):
            self.init(
                .inviteTooMany,
                "This account has \(limit) open invitations.",
                fix: "Withdraw one with `kairan share withdraw`, or wait until one is used up or expired.",
                facts: [.limit(limit)]
            )
        case .badUses, .alreadyOver:
            self.init(.invalidArgument, "No account could join by such an invitation.", fix: "Give it uses and time.")
        case .noRelay:
            self.init(
                .relayUnknown,
                "No relay that could count the uses is in use.",
                fix: "Use one first (`kairan relay use`), or leave `countersigner` out, so that this device counts."
            )
        case .internalZone:
            self.init(.zoneUnknown, "There is no such zone.", fix: "`kairan zone ls` lists the zones.")
        case .unknownInvite:
            self.init(
                .inviteUnknown,
                "The zone has no such invitation.",
                fix: "`kairan share ls` lists the invitations with their ids."
            )
        case .unknownRequest:
            self.init(
                .requestUnknown,
                "The zone has no such request.",
                fix: "`kairan share ls` lists the requests with their ids."
            )
        case .over(let state):
            self.init(
                .inviteOver,
                "The invitation is no longer valid: \(state.explained).",
                fix: "`kairan share grant` gives the account its right without one.",
                facts: [.state(state.rawValue)]
            )
        case .denied:
            self.init(
                .requestDenied,
                "The request was denied, for good.",
                fix: "`kairan share grant` gives the account its right without an invitation."
            )
        case .granted:
            self.init(
                .requestGranted,
                "The account has joined already.",
                fix: "`kairan share revoke` revokes its right."
            )
        case .blocked(let account):
            self.init(
                .accountBlocked,
                "\(account.shortText) is blocked.",
                fix: "Run `kairan unblock` first to admit it."
            )
        case .ownAccount:
            self.init(.shareNeedless, "This is the account itself.", fix: "Name another account.")
        case .notWritten(_, .notReadable):
            self.init(
                .recordNotReadable,
                "This account's data about it was written under a key that this device does not have yet.",
                fix: "Let this device meet the account's other devices, and try again."
            )
        case .notWritten: return nil
        }
    }
}

extension Invite.State {
    /// For people.
    fileprivate var explained: String {
        switch self {
        case .open: "it is open"
        case .withdrawn: "it was withdrawn"
        case .expired: "it has expired"
        case .spent: "it is used up"
        case .orphaned: "its countersigner, the device that made it or a relay, no longer belongs to the account"
        case .zoneGone: "the zone is gone"
        }
    }
}
