import Records
import Sync
import Wire

extension NodeError {
    /// The error of a failed operation on invitations, requests or blocks.
    /// - Returns: `nil` for an error that no request of a program leads to.
    init?(_ error: InviteError) {
        switch error {
        case .tooManyOpen(let limit):
            self.init(
                .inviteTooMany,
                "This account has \(limit) open invitations.",
                fix: "Withdraw one with `kairan share withdraw`, or wait until one is used up or over.",
                facts: [.limit(limit)]
            )
        case .badUses, .alreadyOver:
            self.init(.invalidArgument, "Nobody could join by such an invitation.", fix: "Give it uses and time.")
        case .noRelay:
            self.init(
                .relayUnknown,
                "No relay is used that could count.",
                fix: "Use one first (`kairan relay use`), or have this device count: leave `countersigner` away."
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
        case .over(let standing):
            self.init(
                .inviteOver,
                "The invitation lets nobody in any more: \(standing.explained).",
                fix: "`kairan share grant` gives the account its right without one.",
                facts: [.state(standing.rawValue)]
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
                fix: "`kairan share revoke` takes its right back."
            )
        case .blocked(let account):
            self.init(
                .accountBlocked,
                "\(account.shortText) is blocked.",
                fix: "`kairan unblock` first, if it is to come in."
            )
        case .ownAccount:
            self.init(.shareNeedless, "This is the account itself.", fix: "Name another account.")
        case .notWritten(_, .notReadable):
            self.init(
                .recordNotReadable,
                "What this account keeps about it was written under a key that this device does not have yet.",
                fix: "Let this device meet the account's other devices, and try again."
            )
        case .notWritten: return nil
        }
    }
}

extension Invite.Standing {
    /// For people.
    fileprivate var explained: String {
        switch self {
        case .open: "it is open"
        case .withdrawn: "it was withdrawn"
        case .expired: "its time is over"
        case .spent: "as many have joined as it was made for"
        case .orphaned: "who counts its uses, the device that made it or a relay, is no longer the account's"
        case .zoneGone: "the zone is gone"
        }
    }
}
